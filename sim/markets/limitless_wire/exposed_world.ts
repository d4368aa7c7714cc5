import type { Activity, Fills, Market, Matches, World } from '#sim/markets/types.ts'

const kinds = new Set<Activity['kind']>(['SPLIT', 'MERGE', 'CONVERSION'])

/** Whether the automated maker makes a market. The markets of a group have an order book. */
export const isMade = ({ kind, index }: Pick<Market, 'kind' | 'index'>): boolean => kind === 'yes_no' && index % 3 === 1

/**
 * A world as far as Limitless can show it, which its traders are compared with. The venue has no combos, no trades
 * after a resolution, and no payouts of void markets; it shows no redemptions, rewards, deposits and withdrawals. In a
 * market of the automated maker each side of a match is a trade of its own, with the maker.
 */
export function exposedWorld(world: World): World {
  const markets = world.markets.map(exposed)
  const isBefore = (market: number, ts_s: number): boolean => ts_s < (markets[market]?.resolvedAt_s ?? Infinity)
  const { matches, fills } = world
  const kept = Int32Array.from({ length: matches.length }, (_, match) => match).filter((match) => {
    const market = matches.market[match] ?? -1
    return market >= 0 && isBefore(market, matches.ts_s[match] ?? 0)
  })
  return {
    ...world,
    markets,
    ...selected(matches, fills, kept, (match) => {
      const market = markets[matches.market[match] ?? -1]
      return market !== undefined && isMade(market)
    }),
    activity: world.activity.filter(
      ({ kind, market, ts_s }) => kinds.has(kind) && (market < 0 || isBefore(market, ts_s)),
    ),
    combos: [],
  }
}

/** A market whose winner takes all has its payouts. */
const exposed = (market: Market): Market =>
  market.result === 'first' || market.result === 'second' ? market : { ...market, payouts: null }

/** The given matches with their fills, which are numbered anew. A match with the maker has one fill, of a taker. */
function selected(
  matches: Matches,
  fills: Fills,
  kept: Int32Array,
  isWithMaker: (match: number) => boolean,
): { matches: Matches; fills: Fills } {
  const rows: { fill: number; match: number; isTaker: number }[] = []
  const origins: number[] = []
  const firstFill = [0]
  for (const match of kept) {
    const matchFills = Array.from(
      { length: (matches.firstFill[match + 1] ?? 0) - (matches.firstFill[match] ?? 0) },
      (_, i) => (matches.firstFill[match] ?? 0) + i,
    )
    const isMadeOne = isWithMaker(match)
    for (const together of isMadeOne ? matchFills.map((fill) => [fill]) : [matchFills]) {
      const number = origins.push(match) - 1
      for (const fill of together)
        rows.push({ fill, match: number, isTaker: isMadeOne ? 1 : (fills.isTaker[fill] ?? 0) })
      firstFill.push(rows.length)
    }
  }
  const ofMatches = (column: ArrayLike<number>) => origins.map((match) => column[match] ?? 0)
  const ofFills = (column: ArrayLike<number>) => rows.map(({ fill }) => column[fill] ?? 0)
  return {
    matches: {
      length: origins.length,
      ts_s: Float64Array.from(ofMatches(matches.ts_s)),
      market: Int32Array.from(ofMatches(matches.market)),
      fair: Float64Array.from(ofMatches(matches.fair)),
      expected: Float64Array.from(ofMatches(matches.expected)),
      tx: Int32Array.from(ofMatches(matches.tx)),
      firstFill: Int32Array.from(firstFill),
    },
    fills: {
      length: rows.length,
      match: Int32Array.from(rows, ({ match }) => match),
      trader: Int32Array.from(ofFills(fills.trader)),
      outcome: Uint8Array.from(ofFills(fills.outcome)),
      side: Uint8Array.from(ofFills(fills.side)),
      isTaker: Uint8Array.from(rows, ({ isTaker }) => isTaker),
      size: Float64Array.from(ofFills(fills.size)),
      cash: Float64Array.from(ofFills(fills.cash)),
      fee: Float64Array.from(ofFills(fills.fee)),
    },
  }
}
