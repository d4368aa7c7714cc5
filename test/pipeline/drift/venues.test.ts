import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { createWorld } from '#sim/markets/world.ts'
import { ingestAll, type TestHouse } from '#test/pipeline/pipeline.ts'

import { openHomes } from './homes.ts'
import { answering, openUpstream, type Drift, type DriftingUpstream } from './upstream.ts'

const world = createWorld({ seed: 5, scale: 0.02 })
const clock = (): number => world.now

/** Outages of an hour, by the path of a list. */
const drifts: Record<string, (path: string) => Drift> = {
  'answers 404': (path) => answering(path, 404, '{"error":"not found"}'),
  'answers in HTML': (path) => answering(path, 200, '<html>maintenance</html>'),
  'answers 500': (path) => answering(path, 500, '{"error":"internal"}'),
}

const venues = [
  { venue: 'kalshi', path: '/markets/trades', described: ['kalshi_markets'], source: 'kalshi_trades' },
  {
    venue: 'limitless',
    path: '/markets/*/events',
    described: ['limitless_markets', 'limitless_resolutions'],
    source: 'limitless_trades',
  },
] as const

const unitShape = z.object({ unit: z.string(), state: z.string(), reason: z.string().nullable(), n_rows: z.number() })
const hashShape = z.object({ fills: z.string() })
type Stored = { units: z.output<typeof unitShape>[]; fills: string }

/** A source of a drifted upstream has the rows of a healthy one, or units that are not complete and say why. */
describe.each(venues)('a $venue whose $path', ({ venue, path, described, source }) => {
  let homes: Awaited<ReturnType<typeof openHomes>>
  let upstream: DriftingUpstream
  let healthy: Stored
  beforeAll(async () => {
    upstream = openUpstream({ [venue]: world }, clock)
    homes = await openHomes(upstream, clock, described)
    const house = await homes.open('healthy')
    await ingestAll(house, world.now, [source])
    healthy = await storedIn(house)
  })
  afterAll(() => homes.close())

  const storedIn = ({ lake }: TestHouse): Promise<Stored> =>
    lake.read(async ({ query }) => {
      const units = await query(
        `select unit, state, reason, n_rows::int as n_rows from lake.coverage
         where source = $source and dataset = 'fills' order by unit`,
        unitShape,
        { source },
      )
      const [sum] = await query(
        'select coalesce(bit_xor(hash(f)), 0)::varchar as fills from lake.fills f where source = $source',
        hashShape,
        { source },
      )
      return { units, fills: sum?.fills ?? '' }
    })
  const isProved = ({ state }: Stored['units'][number]): boolean => state === 'done' || state === 'head'

  it('is read whole while it is healthy', () => {
    expect(healthy.units.length).toBeGreaterThan(5)
    expect(healthy.units.filter((unit) => !isProved(unit))).toEqual([])
  })

  it.each(Object.keys(drifts))('%s is noticed, and is whole after one refresh', async (name) => {
    const house = await homes.open(name)
    upstream.drift(drifts[name]?.(path) ?? null)
    await ingestAll(house, world.now, [source], { mayFail: '' })
    const drifted = await storedIn(house)
    const known = new Map(healthy.units.map((unit) => [unit.unit, unit.n_rows]))
    const unnoticed = drifted.units.filter(
      (unit) => unit.n_rows !== known.get(unit.unit) && (isProved(unit) || unit.reason === null),
    )
    expect(unnoticed).toEqual([])
    upstream.drift(null)
    await ingestAll(house, world.now, [source], { refresh: true })
    expect(await storedIn(house)).toEqual(healthy)
  })
})
