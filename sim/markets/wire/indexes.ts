import type { World } from '#sim/markets/types.ts'

/** The indexes of the rows of a world. Numbers of fills ascend with time. */
export type Indexes = {
  /** The fills of a market: all, and those of takers. */
  ofMarket: Int32Array[]
  takersOfMarket: Int32Array[]
  /** Fills of a trader, combos among them. */
  ofTrader: Int32Array[]
  /** The rows of a trader's activity by time: fills, and from `fills.length` on other rows. */
  activityOf: (trader: number) => Int32Array
  tsOf: (row: number) => number
  /** The venue's type of such a row, and its market: -1 without one. */
  describe: (row: number) => { type: string; market: number }
  /** The dollars (millionths) traded in a market up to an instant, each match once. */
  volumeUntil: (market: number, at_s: number) => number
  /** The last match of a market at or before an instant, or -1. */
  lastMatch: (market: number, at_s: number) => number
  marketByCondition: Map<string, number>
  traderByWallet: Map<string, number>
  comboOf: Map<number, World['combos'][number]>
}

export function createIndexes(world: World): Indexes {
  const { matches, fills, activity } = world
  const ofMarket = group(fills.length, world.markets.length, (fill) => marketOf(fill))
  const ofTrader = group(fills.length, world.traders.length, (fill) => fills.trader[fill] ?? -1)
  const activityOfTrader = group(activity.length, world.traders.length, (row) => activity[row]?.trader ?? -1)
  const matchesOf = group(matches.length, world.markets.length, (match) =>
    isOwn(match) ? (matches.market[match] ?? -1) : -1,
  )
  const volumes = matchesOf.map((list) => {
    let sum = 0
    return Float64Array.from(list, (match) => (sum += fills.cash[matches.firstFill[match] ?? 0] ?? 0))
  })
  const tsOf = (row: number): number =>
    row < fills.length ? (matches.ts_s[fills.match[row] ?? 0] ?? 0) : (activity[row - fills.length]?.ts_s ?? 0)
  const merged = new Map<number, Int32Array>()

  return {
    ofMarket,
    takersOfMarket: ofMarket.map((list) => list.filter((fill) => fills.isTaker[fill] === 1)),
    ofTrader,
    activityOf: (trader) => {
      const cached = merged.get(trader)
      if (cached !== undefined) return cached
      const rows = [...(ofTrader[trader] ?? []), ...(activityOfTrader[trader] ?? []).map((row) => row + fills.length)]
      const sorted = Int32Array.from(rows.sort((a, b) => tsOf(a) - tsOf(b) || a - b))
      merged.set(trader, sorted)
      return sorted
    },
    tsOf,
    describe: (row) => {
      if (row < fills.length) return { type: 'TRADE', market: marketOf(row) }
      const other = activity[row - fills.length]
      return { type: other?.kind ?? '', market: other?.market ?? -1 }
    },
    volumeUntil: (market, at_s) => volumes[market]?.[matchesUntil(market, at_s) - 1] ?? 0,
    lastMatch: (market, at_s) => matchesOf[market]?.[matchesUntil(market, at_s) - 1] ?? -1,
    marketByCondition: new Map(
      world.markets.flatMap(({ conditionId, index }) => [
        [conditionId, index],
        [paddedId(conditionId), index],
      ]),
    ),
    traderByWallet: new Map(world.traders.map((trader) => [trader.wallet, trader.index])),
    comboOf: new Map(world.combos.map((combo) => [combo.match, combo])),
  }

  function marketOf(fill: number): number {
    return matches.market[fills.match[fill] ?? 0] ?? -1
  }

  /** Rows of the exchange itself are no trades. */
  function isOwn(match: number): boolean {
    return (fills.trader[matches.firstFill[match] ?? 0] ?? -1) >= 0
  }

  function matchesUntil(market: number, at_s: number): number {
    const marketMatches = matchesOf[market] ?? new Int32Array()
    return countUpTo(marketMatches.length, (i) => matches.ts_s[marketMatches[i] ?? 0] ?? 0, at_s)
  }
}

/** The id of a market as a parameter of the Data API: 32 bytes. */
export const paddedId = (conditionId: string): string => conditionId.padEnd(66, '0')

/** How many of `length` ascending values are at most `bound`. */
export function countUpTo(length: number, valueAt: (i: number) => number, bound: number): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (valueAt(middle) <= bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Row numbers by group, ascending; rows of a negative group are left out. */
function group(length: number, nGroups: number, groupOf: (row: number) => number): Int32Array[] {
  const counts = new Int32Array(nGroups)
  for (let row = 0; row < length; row++) if (groupOf(row) >= 0) counts[groupOf(row)] = (counts[groupOf(row)] ?? 0) + 1
  const groups = Array.from(counts, (count) => new Int32Array(count))
  counts.fill(0)
  for (let row = 0; row < length; row++) {
    const key = groupOf(row)
    const slots = groups[key]
    if (slots === undefined) continue
    const place = counts[key] ?? 0
    slots[place] = row
    counts[key] = place + 1
  }
  return groups
}
