/** A token that is traded for dollars in a lifelike world, with its first price. */
export type Listing = { symbol: string; name: string; usd: number }

/** Invented tokens. They stand beside the coin of a chain, which comes first in each list. */
const tokens: readonly Listing[] = [
  { symbol: 'KELP', name: 'Kelp', usd: 0.42 },
  { symbol: 'GULL', name: 'Gull', usd: 3.15 },
  { symbol: 'FERRY', name: 'Ferry', usd: 0.087 },
  { symbol: 'BASALT', name: 'Basalt', usd: 12.6 },
  { symbol: 'PUFFIN', name: 'Puffin', usd: 1.84 },
  { symbol: 'EMBER', name: 'Ember', usd: 2.37 },
  { symbol: 'TIDE', name: 'Tide', usd: 0.19 },
  { symbol: 'HERON', name: 'Heron', usd: 46.2 },
  { symbol: 'QUARRY', name: 'Quarry', usd: 7.05 },
  { symbol: 'MOSS', name: 'Moss', usd: 0.61 },
  { symbol: 'CAIRN', name: 'Cairn', usd: 28.9 },
]

/** The tokens of a lifelike chain: its wrapped coin at a price, and others up to a number. */
export const listingsOf = (coin: Listing, n_tokens: number): Listing[] => [coin, ...tokens.slice(0, n_tokens - 1)]
