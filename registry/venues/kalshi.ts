import type { Venue } from './venue.ts'

/** Quotes have a volume in contracts, and no volume in US dollars. */
export const kalshi: Venue = {
  id: 'kalshi',
  label: 'Kalshi',
  words: ['kalshi'],
  market: {
    form: '[A-Za-z0-9][A-Za-z0-9_.+-]{0,199}',
    about: 'a ticker',
    case: 'upper',
    example: 'KXHIGHNY-26NOV21-B50',
    bare: /^[A-Z]{2,}-\d{2}[A-Z0-9.-]*$/,
  },
  chain: null,
  isAnonymous: true,
  accountSource: null,
  bookSource: null,
  listsTakersOnly: false,
  countsSetsByCash: false,
  omitsZeroVolume: false,
  firstBlock: null,
  systemAddresses: {},
  wallets: [],
}
