import type { Activity, Fills, Market, Matches, World } from '#sim/markets/types.ts'

const kinds = new Set<Activity['kind']>(['SPLIT', 'MERGE', 'CONVERSION'])

/**
 * A world as far as Limitless can show it, which its traders are compared with. The venue has no combos, no trades
 * after a resolution, and no payouts of void markets; it shows no redemptions, rewards, deposits and withdrawals.
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
    ...selected(matches, fills, kept),
    activity: world.activity.filter(
      ({ kind, market, ts_s }) => kinds.has(kind) && (market < 0 || isBefore(market, ts_s)),
    ),
    combos: [],
  }
}

/** A market whose winner takes all has its payouts. */
const exposed = (market: Market): Market =>
  market.result === 'first' || market.result === 'second' ? market : { ...market, payouts: null }

/** The given matches with their fills, which are numbered anew. */
function selected(matches: Matches, fills: Fills, kept: Int32Array): { matches: Matches; fills: Fills } {
  const rows = [...kept].flatMap((match, n) => {
    const [first, end] = [matches.firstFill[match] ?? 0, matches.firstFill[match + 1] ?? 0]
    return Array.from({ length: end - first }, (_, i) => ({ fill: first + i, match: n }))
  })
  const firstFill = new Int32Array(kept.length + 1)
  for (const { match } of rows) firstFill[match + 1] = (firstFill[match + 1] ?? 0) + 1
  for (let match = 0; match < kept.length; match++) {
    firstFill[match + 1] = (firstFill[match + 1] ?? 0) + (firstFill[match] ?? 0)
  }
  const ofMatches = (column: ArrayLike<number>) => Array.from(kept, (match) => column[match] ?? 0)
  const ofFills = (column: ArrayLike<number>) => rows.map(({ fill }) => column[fill] ?? 0)
  return {
    matches: {
      length: kept.length,
      ts_s: Float64Array.from(ofMatches(matches.ts_s)),
      market: Int32Array.from(ofMatches(matches.market)),
      fair: Float64Array.from(ofMatches(matches.fair)),
      tx: Int32Array.from(ofMatches(matches.tx)),
      firstFill,
    },
    fills: {
      length: rows.length,
      match: Int32Array.from(rows, ({ match }) => match),
      trader: Int32Array.from(ofFills(fills.trader)),
      outcome: Uint8Array.from(ofFills(fills.outcome)),
      side: Uint8Array.from(ofFills(fills.side)),
      isTaker: Uint8Array.from(ofFills(fills.isTaker)),
      size: Float64Array.from(ofFills(fills.size)),
      cash: Float64Array.from(ofFills(fills.cash)),
      fee: Float64Array.from(ofFills(fills.fee)),
    },
  }
}
