import type { Venue } from './venue.ts'

/** The contracts are those of the venue's list: exchanges, adapters, the contracts of the outcome tokens. */
export const polymarket: Venue = {
  id: 'polymarket',
  label: 'Polymarket',
  words: ['polymarket', 'poly market', 'polymkt', 'poly'],
  market: {
    form: '0[xX](?:[0-9a-fA-F]{64}|[0-9a-fA-F]{62})',
    about: 'a condition id (0x and 64 hex digits, 62 of Protocol V2)',
    case: 'lower',
    example: '0x5f65177b394277fd294cd75650044e32ba009a95022d88a0c1d565897d72f8f1',
    // The id of a combo has 62 digits and begins with 03.
    combo: { prefix: '0x03', length: 64 },
  },
  chain: 'polygon',
  isAnonymous: false,
  accountSource: 'polymarket_activity',
  bookSource: 'polymarket_book',
  listsTakersOnly: false,
  countsSetsByCash: false,
  omitsZeroVolume: true,
  // The contract of the outcome tokens was made there.
  firstBlock: 4_023_686,
  systemAddresses: {
    '0x4d97dcd97ec945f40cf65f87097ace5ea0476045': 'conditional tokens',
    '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e': 'exchange v1',
    '0xc5d563a36ae78145c45a50134d48a1215220f80a': 'neg-risk exchange v1',
    '0xe111180000d2663c0091e4f400237545b87b996b': 'exchange v2',
    '0xe2222d279d744050d28e00520010520000310f59': 'neg-risk exchange v2',
    '0xe2222d002000ba0053cef3375333610f64600036': 'neg-risk exchange v2 b',
    '0xe3333700ca9d93003f00f0f71f8515005f6c00aa': 'exchange v3',
    '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296': 'neg-risk adapter',
    '0x71523d0f655b41e805cec45b17163f528b59b820': 'neg-risk operator',
    '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2': 'wrapped collateral',
    '0x006f54f7f9a22e0000cc2ab60031000000ae9fef': 'position manager',
    '0xa1200000d0002264c9a1698e001292d00e1b00af': 'auto redeemer',
  },
  // An e-mail account has a proxy wallet; a wallet account has a Gnosis Safe.
  wallets: [
    {
      name: 'proxy wallet',
      factory: '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052',
      bytecodeHash: '0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b',
      salt: 'packed',
    },
    {
      name: 'Safe',
      factory: '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b',
      bytecodeHash: '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf',
      salt: 'word',
    },
  ],
}
