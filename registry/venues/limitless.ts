import type { Venue } from './venue.ts'

/** Quotes of a market of more than a day have no volume of 24 hours. */
export const limitless: Venue = {
  id: 'limitless',
  label: 'Limitless',
  words: ['limitless'],
  market: {
    form: '[A-Za-z0-9][A-Za-z0-9._-]{0,250}',
    about: 'a slug',
    case: 'lower',
    example: 'will-it-snow-in-oslo-1764201600',
  },
  chain: 'base',
  isAnonymous: false,
  accountSource: 'limitless_activity',
  bookSource: null,
  listsTakersOnly: true,
  countsSetsByCash: true,
  omitsZeroVolume: false,
  firstBlock: null,
  systemAddresses: {},
  wallets: [],
}
