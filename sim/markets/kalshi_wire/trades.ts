import type { World } from '#sim/markets/types.ts'
import { countUpTo } from '#sim/markets/wire/indexes.ts'
import { hexText, mix } from '#sim/random.ts'

import { comboTicker, marketTicker } from './tickers.ts'

/** One taker's match with one maker. Several of one match have the same instant, to the microsecond. */
export type KalshiTrade = {
  index: number
  id: string
  /** Microseconds. */
  at: number
  /** -1 for a combination. */
  market: number
  ticker: string
  /** Hundredths of a contract. */
  count: number
  /** The price of YES in hundredths of a cent. */
  yes: number
  taker: 'yes' | 'no'
  /** Agreed off the book, often at another price. */
  isBlock: boolean
}

const idSpace = 61
const dollar = 10_000

/** Markets whose prices have steps of $0.0001. */
export const hasFineTicks = (market: number): boolean => market % 5 === 3

/** The trades of a world in order of time. The venue names neither side. */
export function tradesOf(world: World): KalshiTrade[] {
  const { matches, fills } = world
  const tickers = world.markets.map((market) => marketTicker(world, market))
  const trades: KalshiTrade[] = []
  for (let match = 0; match < matches.length; match++) {
    const first = matches.firstFill[match] ?? 0
    // Rows of the exchange itself are no trades.
    if ((fills.trader[first] ?? -1) < 0) continue
    // Claims of a settled market are not traded at this venue.
    const isOver = (matches.ts_s[match] ?? 0) >= (world.markets[matches.market[match] ?? -1]?.closedAt_s ?? Infinity)
    if (isOver) continue
    const at = (matches.ts_s[match] ?? 0) * 1_000_000 + (mix(world.seed, match) % 1_000_000)
    for (let fill = first + 1; fill < (matches.firstFill[match + 1] ?? first); fill++) {
      if ((fills.trader[fill] ?? -1) < 0) continue
      const index = trades.length
      const market = matches.market[match] ?? -1
      const ticker = tickers[market] ?? comboTicker(match)
      trades.push({ index, id: tradeId(world.seed, index), at, market, ticker, ...termsOf(world, fill, market, index) })
    }
  }
  return trades.sort((a, b) => a.at - b.at || a.index - b.index).map((trade, index) => ({ ...trade, index }))
}

/** The maker's row, as the taker's side of a contract: a seller of YES buys NO. */
function termsOf({ fills }: World, fill: number, market: number, index: number) {
  const outcome = fills.outcome[fill] ?? 0
  const [size, cash] = [fills.size[fill] ?? 1, fills.cash[fill] ?? 0]
  const outcomePrice = Math.min(dollar - 10, Math.max(10, Math.round((cash / size) * 1000) * 10))
  const price = outcome === 0 ? outcomePrice : dollar - outcomePrice
  const fine = hasFineTicks(market) && price < dollar - 20 ? price + (index % 7) : price
  const isBlock = index % 53 === 17
  const count = Math.max(1, Math.round(size / 10_000))
  const takenOutcome = fills.side[fill] === 1 ? outcome : 1 - outcome
  return {
    count: isBlock ? count * 40 : count,
    yes: isBlock ? 100 + ((fine + 2_500) % 9_800) : fine,
    taker: takenOutcome === 0 ? ('yes' as const) : ('no' as const),
    isBlock,
  }
}

function tradeId(seed: number, index: number): string {
  const hex = hexText(seed, idSpace, index, 32)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The numbers of trades of a market up to an instant. */
export type TradeTotals = {
  /** Hundredths of a contract before an instant in microseconds. */
  countBefore: (market: number, at: number) => number
  /** The last price of YES before it, block trades left out; 0 without one. */
  lastBefore: (market: number, at: number) => number
}

export function totalsOf(trades: readonly KalshiTrade[]): TradeTotals {
  const rowsByMarket = new Map<number, { at: number; count: number; yes: number }[]>()
  for (const { market, at, count, yes, isBlock } of trades) {
    const rows = rowsByMarket.get(market) ?? []
    const last = rows.at(-1) ?? { count: 0, yes: 0 }
    rows.push({ at, count: last.count + count, yes: isBlock ? last.yes : yes })
    rowsByMarket.set(market, rows)
  }
  const before = (market: number, at: number) => {
    const rows = rowsByMarket.get(market) ?? []
    return rows[countUpTo(rows.length, (i) => rows[i]?.at ?? 0, at - 1) - 1] ?? { count: 0, yes: 0 }
  }
  return {
    countBefore: (market, at) => before(market, at).count,
    lastBefore: (market, at) => before(market, at).yes,
  }
}
