import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import type { World } from '#sim/markets/types.ts'
import { bookOf } from '#sim/markets/wire/book.ts'
import { createIndexes } from '#sim/markets/wire/indexes.ts'
import { serveWorld } from '#sim/server/server.ts'
import { DAY, type Micros } from '#time.ts'

import type { Seen } from './live.ts'
import { fillColumns, staged, tradedAt_s, trueFills, trueTrades } from './tape.ts'

const minute = 60_000_000

/** The window of a comparison, and the world of Kalshi beside that of Polymarket. */
type Compared = { from: Micros; to: Micros; kalshi?: World | undefined }

/** The fills that a lake lacks or has too often, from an instant to the end of the last reading of each feed. */
export async function compareTape(lake: Lake, world: World, { from, to, kalshi }: Compared) {
  const feed = await reachedBy(lake, 'polymarket_feed')
  const isKnown = (fill: number): boolean => {
    const ts = tradedAt_s(world, fill) * 1_000_000
    return ts >= from && ts < feed
  }
  const trades = await reachedBy(lake, 'kalshi_trades')
  const true_ = [
    ...trueFills(world, isKnown, true),
    // Of an anonymous venue the tape has one day.
    ...(kalshi === undefined ? [] : trueTrades(kalshi, { from: Math.max(from, to - DAY + 1), to: trades })),
  ]
  const reached = `case venue when 'kalshi' then ${trades} when 'polymarket' then ${feed} else 0 end`
  const where = `epoch_us(ts) >= ${from} and epoch_us(ts) < ${reached}`
  const rows = await staged(lake, to, 'tape', { columns: `${fillColumns}, role`, where })
  const counts = new Map<string, number>()
  for (const text of true_) counts.set(text, (counts.get(text) ?? 0) + 1)
  const doubled: string[] = []
  for (const text of rows) {
    const left = counts.get(text) ?? 0
    if (left === 0) doubled.push(text)
    else counts.set(text, left - 1)
  }
  const lacking = [...counts].filter(([, left]) => left > 0).map(([text]) => text)
  return { lacking, doubled, n_fills: true_.length }
}

const reachedBy = (lake: Lake, source: string): Promise<number> =>
  lake.read(async ({ query }) => {
    const sql = `select epoch_us(max(to_at)) as to from lake.coverage where source = $source and state <> 'missing'`
    return Number((await query(sql, z.object({ to: z.bigint().nullable() }), { source }))[0]?.to ?? 0)
  })

const listingShape = z.object({
  markets: z.array(
    z.object({ conditionId: z.string(), bestBid: z.number().optional(), bestAsk: z.number().optional() }),
  ),
  next_cursor: z.string().nullish(),
})

/** The longest delay of an observation after the instant of the grid that names it. */
const slowest = 10

/** A snapshot of pushed trades may be older than the observation of its minute. */
const newest = 10

/**
 * The odds of each snapshot that was served beside what the venue said in the minutes around its instant, or pushed
 * before it.
 */
export async function compareOdds({ snapshots }: Seen, world: World): Promise<{ wrongOdds: string[]; n_odds: number }> {
  let at = world.now
  const venue = await serveWorld({ world, clock: () => at })
  const wrongOdds: string[] = []
  let n_odds = 0
  const wasPushed = pushedMids(world)
  try {
    for (const [asOf, odds] of snapshots) {
      at = asOf
      const open = await midsOf(venue.hosts.polymarket_gamma ?? '')
      // A market that opened or closed a moment ago is described by a source of its own, at instants of its own.
      let left = [...odds].filter(([id]) => open.has(id))
      n_odds += left.length
      for (let n = -newest; n <= slowest && left.length > 0; n++) {
        at = asOf - (asOf % minute) + n * minute
        const mids = await midsOf(venue.hosts.polymarket_gamma ?? '')
        left = left.filter(([id, price]) => Math.abs(price - (mids.get(id) ?? price)) > 1e-6)
      }
      left = left.filter(([id, price]) => !wasPushed(id, price, asOf))
      for (const [id, price] of left) wrongOdds.push(`${id} as of ${asOf}: ${price}`)
    }
  } finally {
    await venue.close()
  }
  return { wrongOdds, n_odds }
}

/** Whether a price was the midpoint of a market's book at a second before an instant, as the venue pushes it. */
function pushedMids(world: World): (id: string, price: number, asOf: Micros) => boolean {
  const indexes = createIndexes(world)
  const markets = new Map(world.markets.map((market) => [`polymarket:${market.conditionId}`, market]))
  return (id, price, asOf) => {
    const market = markets.get(id)
    if (market === undefined) return false
    const end_s = Math.floor(asOf / 1e6)
    return Array.from({ length: newest * 60 + 1 }, (_, ago_s) => bookOf(world, indexes, market, end_s - ago_s)).some(
      ({ bid, ask }) => bid !== null && ask !== null && Math.abs((bid + ask) / 2e6 - price) <= 1e-6,
    )
  }
}

/** The midpoints of the open markets whose book is a price, by id. */
async function midsOf(gammaUrl: string): Promise<Map<string, number>> {
  const mids = new Map<string, number>()
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({ closed: 'false', limit: '500', ...(cursor && { after_cursor: cursor }) })
    const body: unknown = await (await fetch(`${gammaUrl}/markets/keyset?${query.toString()}`)).json()
    const { markets, next_cursor } = listingShape.parse(body)
    for (const { conditionId, bestBid, bestAsk } of markets) {
      if (bestBid === undefined || bestAsk === undefined || bestAsk - bestBid > 0.1) continue
      mids.set(`polymarket:${conditionId}`, (bestBid + bestAsk) / 2)
    }
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  return mids
}
