import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { startWorkflow } from '#engine/embedded_workflow.ts'
import { createWorld } from '#sim/markets/world.ts'
import { ingestAll, type TestHouse } from '#test/pipeline/pipeline.ts'
import { sized } from '#test/run/sized.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'

import { openHomes } from './homes.ts'
import { answering, onRoute, openUpstream, type Drift, type DriftingUpstream } from './upstream.ts'

const world = createWorld({ seed: 5, scale: 0.02 })
const clock = (): number => world.now
const histories = ['polymarket_trades', 'polymarket_activity']

type Rows = (rows: unknown[]) => unknown[]
const rowsOf = (path: string, change: Rows): Drift =>
  onRoute(path, (body) => ({ ...body, data: change(z.array(z.unknown()).parse(body['data'])) }))
/** The drifts of a route of rows, by name; each takes the path of the route. */
const drifts: Record<string, (path: string) => Drift> = {
  'repeats its last row': (path) => rowsOf(path, (rows) => [...rows, ...rows.slice(-1)]),
  'shows half of each page': (path) => rowsOf(path, (rows) => rows.slice(0, Math.ceil(rows.length / 2))),
  'shows nothing': (path) => rowsOf(path, () => []),
  'answers 404': (path) => answering(path, 404, '{"error":"not found"}'),
}

const unitShape = z.object({ unit: z.string(), state: z.string(), reason: z.string().nullable(), fills: z.string() })
type Stored = z.output<typeof unitShape>

/** A unit of a drifted upstream has the rows of a healthy one, or is not complete and has a reason. */
describe.each(['/v2/trades', '/v2/activity'])('an upstream whose %s', (path) => {
  let homes: Awaited<ReturnType<typeof openHomes>>
  let upstream: DriftingUpstream
  let healthy: Map<string, Stored>
  beforeAll(async () => {
    upstream = openUpstream({ polymarket: world }, clock)
    homes = await openHomes(upstream, clock, ['polymarket_markets', 'polymarket_resolutions'])
    const house = await homes.open('healthy')
    await ingestAll(house, world.now, histories)
    healthy = await unitsOf(house)
  })
  afterAll(() => homes.close())

  const backfillOf = ({ activities }: TestHouse, source: string, refresh: boolean): Promise<Progress> =>
    startWorkflow(backfill, { args: [{ source, from: 0, to: world.now, keys: [], refresh }], activities }).result

  const unitsOf = async ({ lake }: TestHouse): Promise<Map<string, Stored>> => {
    const rows = await lake.read(({ query }) =>
      query(
        `with rows as (
           select source, market_id, trader, hash(tx, trader, token_id, side, ts, size, seq) as h from lake.fills
         )
         select c.unit, any_value(c.state) as state, any_value(c.reason) as reason,
           coalesce((select bit_xor(h)::varchar from rows r where r.source = any_value(c.source)
             and any_value(c.key) in (r.trader, substr(r.market_id, 12))), '') as fills
         from lake.coverage c
         where c.source in ('polymarket_trades', 'polymarket_activity') and c.dataset = 'fills' group by c.unit order by c.unit`,
        unitShape,
      ),
    )
    return new Map(rows.map((row) => [row.unit, row]))
  }

  it.each(sized(['shows half of each page'], ['shows half of each page'], Object.keys(drifts)))(
    '%s is noticed, and is whole after one refresh',
    async (name) => {
      const house = await homes.open(name)
      upstream.drift(drifts[name]?.(path) ?? null)
      for (const source of histories) await backfillOf(house, source, false)
      const drifted = await unitsOf(house)
      const unnoticed = [...drifted.values()].filter(
        ({ unit, state, reason, fills }) =>
          fills !== healthy.get(unit)?.fills && (['done', 'head'].includes(state) || reason === null),
      )
      expect(unnoticed).toEqual([])
      upstream.drift(null)
      for (const source of histories) await backfillOf(house, source, true)
      expect(await unitsOf(house)).toEqual(healthy)
    },
  )
})
