/** A match of planted traders: the hours before a market's end, the taker, and the makers. */
export type PlantedMatch = {
  /** The place of the market among the resolved ones; below 0 among the open ones. */
  market: number
  hours: number
  legs: readonly Leg[]
}
export type Leg = {
  trader: string
  role: 'taker' | 'maker'
  side: 'buy' | 'sell'
  outcome: number
  price: number
  size: number
}

/** An address whose last digits say which case it is. */
export const addressOf = (name: string): string => `0x${Buffer.from(name).toString('hex').padStart(40, '0')}`

/** A purchase from a seller without other trades. */
const buy = (trader: string, market: number, hours: number, price = 0.5, size = 100, outcome = 0): PlantedMatch => {
  const leg = { outcome, price, size }
  const seller = `crowd${market}.${hours}`
  return {
    market,
    hours,
    legs: [
      { ...leg, trader, role: 'taker', side: 'buy' },
      { ...leg, trader: seller, role: 'maker', side: 'buy', outcome: 1 - outcome, price: 1 - price },
    ],
  }
}

const times = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i))

/** Two purchases of 50 US dollars in each market: enough to be proven in ten markets. */
const ordinary = (trader: string, n_markets = 12, size = 100): PlantedMatch[] =>
  times(2 * n_markets, (i) => buy(trader, i % n_markets, 30 + (i < n_markets ? 0 : 2), 0.5, size))

/** A trader buys one outcome from a partner who buys the other one. */
const between = (
  taker: string,
  maker: string,
  market: number,
  usd: number,
  more: readonly Leg[] = [],
): PlantedMatch => ({
  market,
  hours: 33,
  legs: [
    { trader: taker, role: 'taker', side: 'buy', outcome: 0, price: 0.5, size: 2 * usd },
    { trader: maker, role: 'maker', side: 'buy', outcome: 1, price: 0.5, size: 2 * usd },
    ...more,
  ],
})

/** Pairs: three matches of 300 US dollars are a fifth of one volume, and half of the other, unless said otherwise. */
const washes: PlantedMatch[] = [
  ...ordinary('pair.a'),
  ...ordinary('pair.b', 3),
  ...times(3, (i) => between('pair.a', 'pair.b', i, 100)),
  ...ordinary('twice.a'),
  ...ordinary('twice.b', 3),
  ...times(2, (i) => between('twice.a', 'twice.b', i, 150)),
  ...ordinary('friends.a'),
  ...ordinary('friends.b'),
  ...times(3, (i) => between('friends.a', 'friends.b', i, 100)),
  ...ordinary('customer.a'),
  ...times(3, (i) => between('customer.b', 'customer.a', i, 93)),
  ...ordinary('unseen.a'),
  ...ordinary('unseen.b', 3),
  ...times(3, (i) =>
    between('unseen.a', 'unseen.b', i, 100, [
      { trader: 'other', role: 'taker', side: 'sell', outcome: 0, price: 0.5, size: 1 },
    ]),
  ),
  ...ordinary('once.a'),
  ...ordinary('once.b', 3),
  between('once.a', 'once.b', 0, 100, [
    { trader: 'once.a', role: 'taker', side: 'buy', outcome: 0, price: 0.5, size: 400 },
    ...times(2, (): Leg => ({ trader: 'once.b', role: 'maker', side: 'buy', outcome: 1, price: 0.5, size: 200 })),
  ]),
  ...ordinary('self.a'),
  between('self.a', 'self.a', 0, 150),
  ...ordinary('self.b'),
  between('self.b', 'self.b', 0, 149),
]

const sale = (trader: string, market: number, size: number): PlantedMatch => ({
  market,
  hours: 28,
  legs: [
    { trader, role: 'taker', side: 'sell', outcome: 0, price: 0.6, size },
    { trader: `buyer.${trader}`, role: 'maker', side: 'buy', outcome: 0, price: 0.6, size },
  ],
})

/** Traders at an edge of a rule of archetypes or lists. */
const edges: PlantedMatch[] = [
  ...ordinary('closed.9', 9).concat(buy('closed.9', 0, 26), buy('closed.9', 1, 26)),
  ...ordinary('closed.10', 10),
  ...ordinary('fills.19', 9).concat(buy('fills.19', 9, 30)),
  ...ordinary('twin.a', 11),
  ...ordinary('twin.b', 11, 100.001),
  ...ordinary('twin.c', 11, 99.999),
  ...ordinary('stranger'),
  sale('stranger', 11, 50.25),
  sale('stranger', 12, 10),
  ...ordinary('oversold'),
  sale('oversold', 0, 300),
  ...ordinary('unread'),
  ...ordinary('earner'),
  buy('old', 999, 1),
  ...ordinary('whale'),
  { market: 3, hours: 31, legs: [{ trader: 'whale', role: 'taker', side: 'buy', outcome: 0, price: 0.5, size: 2e7 }] },
  ...times(30, (i) => buy('longshot', i % 10, 30 + i / 8, i % 5 < 3 ? 0.2 : 0.5, i % 5 < 3 ? 500 : 200)),
  ...times(30, (i) => buy('favorite', i % 10, 30 + i / 8, i % 5 < 3 ? 0.8 : 0.5, i % 5 < 3 ? 125 : 200)),
  ...times(10, (i) => makings('maker', i, 60)).flat(),
  ...times(10, (i) => makings('tilted', i, 60.01)).flat(),
  ...times(12, (i) => pairOf('sets.60', i, 60)).flat(),
  ...times(12, (i) => pairOf('sets.61', i, 61)).flat(),
  ...times(12, (i) => pairOf('sets.1', i, 10, 0.51)).flat(),
  ...ordinary('holder'),
  ...times(8, (i) => buy('holder', -1 - i, i % 3 === 2 ? 26 : 2, 0.45, 40, i % 2)),
]

/** 70 of 100 shares as maker; 60 go up and 40 down. */
function makings(trader: string, market: number, size: number): PlantedMatch[] {
  const made = (outcome: number, shares: number, hours: number): PlantedMatch => ({
    market,
    hours,
    legs: [
      {
        trader: `customer${market}.${hours}`,
        role: 'taker',
        side: 'buy',
        outcome: 1 - outcome,
        price: 0.5,
        size: shares,
      },
      { trader, role: 'maker', side: 'buy', outcome, price: 0.5, size: shares },
    ],
  })
  return [made(0, size, 40), made(1, 10, 41), buy(trader, market, 42, 0.5, 30, 1)]
}

/** Both outcomes for 0.99 or so, some seconds apart. */
function pairOf(trader: string, market: number, seconds: number, price = 0.5): PlantedMatch[] {
  return [buy(trader, market, 36, 0.49, 100, 0), buy(trader, market, 36 - seconds / 3600, price, 100, 1)]
}

export const plantedMatches: readonly PlantedMatch[] = [...washes, ...edges]
