import type { Venue } from '#registry/venues/venue.ts'

export const manifold: Venue = {
  id: 'manifold',
  label: 'Manifold',
  words: ['manifold', 'mani'],
  market: {
    form: '[A-Za-z0-9][A-Za-z0-9-]{0,199}',
    about: 'a name in small letters',
    case: 'lower',
    example: 'will-it-rain-in-lagos',
  },
  chain: null,
  isAnonymous: false,
  accountSource: 'manifold_accounts',
  bookSource: null,
  listsTakersOnly: false,
  countsSetsByCash: false,
  omitsZeroVolume: true,
  firstBlock: null,
  systemAddresses: {},
  wallets: [],
}
