import { z } from 'zod'

import type { Micros } from '#lake/columns.ts'
import type { Lake } from '#lake/lake.ts'
import { serveWorld } from '#sim/server.ts'
import { systemAddresses, type World } from '#sim/types.ts'
import { txHash } from '#sim/world.ts'
import { modelOf } from '#test/scoring/model.ts'

import type { Seen } from './live.ts'

const minute = 60_000_000

/** The staged tape beside the true one, from an instant on up to where the feed has been read. */
export async function compareTape(lake: Lake, world: World, { from, to }: { from: Micros; to: Micros }) {
  const reached = await lake.read(async ({ query }) => {
    const shape = z.object({ to: z.bigint() })
    const sql =
      "select epoch_us(max(to_at)) as to from lake.coverage where source = 'polymarket_feed' and state <> 'missing'"
    return Number((await query(sql, shape))[0]?.to ?? 0)
  })
  const staged = await lake.read(async ({ query }) => {
    await query('create schema staging; create schema core', z.unknown())
    await query(`create table core.clock as select make_timestamp(${to}) as as_of`, z.unknown())
    for (const name of ['system_addresses', 'stretches', 'tape']) {
      await query(`create table staging.${name} as ${modelOf(`staging.${name}`).sql}`, z.unknown())
    }
    const sql = `select concat_ws(' ', tx, trader, side, epoch_us(ts), (size * 1000000)::bigint, role) as text
      from staging.tape where epoch_us(ts) >= ${from} and epoch_us(ts) < ${reached}`
    return (await query(sql, z.object({ text: z.string() }))).map(({ text }) => text)
  })
  const { fills, matches } = world
  const counts = new Map<string, number>()
  let n_fills = 0
  for (let fill = 0; fill < fills.length; fill++) {
    const match = fills.match[fill] ?? 0
    const ts = (matches.ts_s[match] ?? 0) * 1_000_000
    if (ts < from || ts >= reached || (matches.market[match] ?? -1) < 0) continue
    const trader = fills.trader[fill] ?? 0
    const wallet = world.traders[trader]?.wallet ?? systemAddresses[-1 - trader]
    const side = fills.side[fill] === 0 ? 'buy' : 'sell'
    const role = fills.isTaker[fill] === 1 ? 'taker' : 'maker'
    const text = [txHash(world, matches.tx[match] ?? 0), wallet, side, ts, fills.size[fill], role].join(' ')
    counts.set(text, (counts.get(text) ?? 0) + 1)
    n_fills += 1
  }
  const doubled: string[] = []
  for (const text of staged) {
    const left = counts.get(text) ?? 0
    if (left === 0) doubled.push(text)
    else counts.set(text, left - 1)
  }
  return { lacking: [...counts].filter(([, left]) => left > 0).map(([text]) => text), doubled, n_fills }
}

const listingShape = z.object({
  markets: z.array(
    z.object({ conditionId: z.string(), bestBid: z.number().optional(), bestAsk: z.number().optional() }),
  ),
  next_cursor: z.string().nullish(),
})

/** How long after its instant an observation may have been made: what it is called by is the grid. */
const slowest = 10

/** The odds of each snapshot that was served beside what the venue said in the minutes from its instant on. */
export async function compareOdds({ snapshots }: Seen, world: World): Promise<{ wrongOdds: string[]; n_odds: number }> {
  let at = world.now
  const venue = await serveWorld({ world, clock: () => at })
  const wrongOdds: string[] = []
  let n_odds = 0
  try {
    for (const [asOf, odds] of snapshots) {
      let left = [...odds]
      for (let n = 0; n <= slowest && left.length > 0; n++) {
        at = asOf + n * minute
        const mids = await midsOf(venue.gammaUrl)
        // A market that opened or closed a moment ago is described by a source of its own, at instants of its own.
        if (n === 0) left = left.filter(([id]) => mids.has(id))
        if (n === 0) n_odds += left.length
        left = left.filter(([id, price]) => Math.abs(price - (mids.get(id) ?? price)) > 1e-6)
      }
      for (const [id, price] of left) wrongOdds.push(`${id} as of ${asOf}: ${price}`)
    }
  } finally {
    await venue.close()
  }
  return { wrongOdds, n_odds }
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
