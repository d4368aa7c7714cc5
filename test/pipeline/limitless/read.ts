import { startWorkflow } from '#engine/embedded_workflow.ts'
import { isMade } from '#sim/markets/limitless_wire/exposed_world.ts'
import type { Market, World } from '#sim/markets/types.ts'
import { bookOf } from '#sim/markets/wire/book.ts'
import { createIndexes } from '#sim/markets/wire/indexes.ts'
import { ingestAll, type TestHouse } from '#test/pipeline/pipeline.ts'
import { backfill } from '#workflows/backfill.ts'

const histories = ['limitless_markets', 'limitless_trades', 'limitless_activity', 'limitless_resolutions']

/** Seconds before the instant of a reading from which fills are left for the next one. */
const lag_s = 120

/**
 * Reads all of Limitless at one instant. Traders that never took a fill are in no list of the venue: they are requested
 * by name. The markets that only histories of accounts name are described after these are read, and their fills then.
 */
export async function readLimitless(house: TestHouse, { traders, now }: World): Promise<void> {
  await ingestAll(house, now, histories)
  const keys = traders.map(({ wallet }) => wallet)
  const request = { source: 'limitless_activity', from: 0, to: now, keys }
  const { failed, failures } = await startWorkflow(backfill, { args: [request], activities: house.activities }).result
  if (failed > 0) throw new Error(`limitless_activity: ${JSON.stringify(failures)}`)
  await ingestAll(house, now, ['limitless_resolutions', 'limitless_trades', 'limitless_odds'])
}

/** The true figures of a market at the world's instant; `price` is null where neither book nor trades give one. */
export type TrueMarket = { price: number | null; volume: number }

/** The true odds and 24-hour volumes of the markets that were open within the last day, by their ids in the lake. */
export function trueMarkets(world: World): Map<string, TrueMarket> {
  const indexes = createIndexes(world)
  const now_s = world.now / 1e6
  const shown = world.markets.filter(({ kind, createdAt_s }) => kind !== 'legacy' && createdAt_s <= now_s)
  return new Map(
    shown.map((market) => {
      const fills = [...(indexes.takersOfMarket[market.index] ?? [])].filter((fill) => {
        const ts_s = indexes.tsOf(fill)
        return (world.fills.trader[fill] ?? -1) >= 0 && ts_s > now_s - 86_400 && ts_s < now_s - lag_s
      })
      const millionths = fills.reduce((sum, fill) => sum + (world.fills.cash[fill] ?? 0), 0)
      const volume = Math.round(millionths / 10_000) / 100
      return [`limitless:${market.slug}`, { price: priceOf(market, fills), volume }]
    }),
  )

  function priceOf(market: Market, fills: number[]): number | null {
    if (market.payouts !== null && now_s >= market.resolvedAt_s) return market.payouts[0] / 1e6
    const book = bookOf(world, indexes, market, now_s)
    // The venue shows an empty side as the end of the grid.
    const [bid, ask] = [book.bid ?? 1_000, book.ask ?? 999_000]
    const isPaused =
      market.pausedAt_s !== null && now_s >= market.pausedAt_s && now_s < (market.resumedAt_s ?? Infinity)
    // The maker has no book, so its price follows the last trade.
    if (!isMade(market) && !isPaused && now_s < market.closedAt_s && ask - bid <= 100_000) return (bid + ask) / 2e6
    const last = fills.at(-1)
    if (last === undefined || fills.some((fill) => fill !== last && indexes.tsOf(fill) === indexes.tsOf(last)))
      return null
    const paid = (world.fills.cash[last] ?? 0) / (world.fills.size[last] ?? 1)
    return world.fills.outcome[last] === 0 ? paid : 1 - paid
  }
}
