import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createHttp } from '#activities/http/http.ts'
import { planUnits } from '#activities/ingest/plan.ts'
import { readUnit, type UnitReading } from '#activities/ingest/read_unit.ts'
import { assertPulled } from '#activities/ingest/units.ts'
import { watermarkAt } from '#activities/ingest/watermark.ts'
import { sources } from '#activities/sources.ts'
import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { toRows } from '#lake/units/column_batch.ts'
import { keepRows } from '#lake/units/spilled_rows.ts'
import type { Unit } from '#lake/units/unit.ts'
import { steppedClock } from '#sim/clock.ts'
import { createWorld } from '#sim/markets/world.ts'
import { ingestAll, openTestPipeline, type TestHouse } from '#test/pipeline/pipeline.ts'
import { sized } from '#test/run/sized.ts'

import { damages, fieldsOf, routes, type Route } from './routes.ts'
import { onRoute, openUpstream, type DriftingUpstream } from './upstream.ts'

/** Each world has enough rows of its routes, and few others. */
const worlds = [
  {
    scale: 0.1,
    read: ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity'],
    routes: routes.filter(({ source }) => source !== 'polymarket_odds'),
  },
  {
    scale: 0.3,
    read: ['polymarket_markets', 'polymarket_odds'],
    routes: routes.filter(({ source }) => source === 'polymarket_odds'),
  },
]
/** A short run leaves out those that read like another. */
const kinds = sized(['renamed', 'retyped'], Object.keys(damages))

/**
 * A reading of a drifted upstream has the rows of a healthy one, or is not complete and has a reason. Each field of each
 * route is renamed, dropped, nulled and retyped, over a lake that was read before.
 */
describe.each(worlds)('a field that changes upstream, at scale $scale', ({ scale, read, routes: own }) => {
  const world = createWorld({ seed: 5, scale })
  const clock = steppedClock(world.now)
  let home: string
  let upstream: DriftingUpstream
  let house: TestHouse
  const units = new Map<string, Unit>()
  const healthy = new Map<string, string>()
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tapeline-drift-'))
    upstream = openUpstream({ polymarket: world }, clock.now)
    house = await openTestPipeline(home, upstream, clock.now, { fetch: upstream.fetch })
    await ingestAll(house, clock.now(), read)
    clock.advance(600_000_000)
    for (const route of own) {
      if (!units.has(route.source)) units.set(route.source, await unitOf(route))
      healthy.set(route.source, rowsOf(await readingOf(route)))
    }
  })
  afterAll(async () => {
    await house.lake.close()
    await rm(home, { recursive: true, force: true })
  })

  const sourceOf = (name: string) => {
    const source = sources.find((one) => one.name === name)
    if (source === undefined) throw new Error(`source ${name}: unknown; expected a source`)
    return assertPulled(source)
  }
  const http = () =>
    createHttp({
      hosts: simulatedHosts(parseConfig({}).hosts, upstream),
      random: () => 0,
      now_ms: () => 0,
      sleep: async () => undefined,
      fetch: upstream.fetch,
      limits: { attempts: 2 },
    })

  /** The smallest unit of enough rows that a refresh reads, or the largest. */
  const unitOf = async ({ source }: Route): Promise<Unit> => {
    const at = clock.now()
    const request = { source, at, from: 0, to: at, keys: [], refresh: true }
    const { units: planned } = await house.lake.read((lake) =>
      planUnits(sourceOf(source), request, { lake, get: http() }),
    )
    const sizes = await Promise.all(
      planned.slice(0, 15).map(async (unit) => ({ unit, n: rowsOf(await readingOfUnit(unit)).length })),
    )
    const inOrder = sizes.toSorted((a, b) => a.n - b.n)
    const chosen = inOrder.find(({ n }) => n > 20_000) ?? inOrder.at(-1)
    if (chosen === undefined) throw new Error(`${source}: nothing is planned; expected a unit`)
    return chosen.unit
  }
  const readingOfUnit = (unit: Unit): Promise<UnitReading> => {
    const source = sourceOf(unit.source)
    const at = clock.now()
    return house.lake.read(async (reader) => {
      const reading = await readUnit(source, unit, {
        get: http(),
        at,
        watermark: watermarkAt(source, at),
        reader,
        lake: house.lake,
        kept: keepRows(house.lake),
      })
      if (reading === undefined) throw new Error(`${source.name}: unchanged; expected a reading`)
      return reading
    })
  }
  const readingOf = async (route: Route): Promise<UnitReading> => {
    const unit = units.get(route.source)
    if (unit === undefined) throw new Error(`${route.source}: no unit; expected one`)
    return readingOfUnit(unit)
  }
  /** The transaction of a resolution is left out: the order book, which takes over, does not give it. */
  const rowsOf = ({ rows }: UnitReading): string =>
    JSON.stringify(
      Object.entries(rows).map(([name, own]) => [
        name,
        toRows(own ?? [])
          .map((row) => JSON.stringify(name === 'resolutions' ? { ...row, tx: null } : row, asText))
          .toSorted(),
      ]),
    )

  it.each(own.flatMap((route) => fieldsOf(route).map((field) => [route.path, field, route] as const)))(
    '%s %s is noticed, or changes no row',
    async (_path, field, route) => {
      const unnoticed: string[] = []
      for (const [kind, damage] of Object.entries(damages).filter(([name]) => kinds.includes(name))) {
        upstream.drift(onRoute(route.path, (body) => route.change(body, (row) => damage(row, field))))
        const outcome = await readingOf(route).catch((error: unknown) => String(error))
        if (typeof outcome === 'string') continue
        const isProved = outcome.state === 'done' || outcome.state === 'head'
        if (!isProved && outcome.reason !== undefined) continue
        if (rowsOf(outcome) !== healthy.get(route.source)) unnoticed.push(kind)
      }
      upstream.drift(null)
      expect(unnoticed).toEqual([])
    },
  )
})

const asText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
