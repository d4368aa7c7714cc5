import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { z } from 'zod'

import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { ingestUnits } from '#ingest/batch.ts'
import { createHttp } from '#ingest/http/http.ts'
import { plan } from '#ingest/plan.ts'
import { read as readUnit, type UnitReading } from '#ingest/read.ts'
import { assertPlanned } from '#ingest/units.ts'
import { watermarkAt } from '#ingest/watermark.ts'
import { toRows } from '#lake/units/column_batch.ts'
import { keepRows } from '#lake/units/spilled_rows.ts'
import type { Unit } from '#lake/units/unit.ts'
import { steppedClock } from '#sim/clock.ts'
import type { World } from '#sim/markets/types.ts'
import type { Worlds } from '#sim/markets/venues.ts'
import { sources } from '#sources/index.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'

import { onRoute, openUpstream, type Drift } from './upstream.ts'

/** A route of an upstream, and the source that reads it. */
export type Read = { source: string; path: string }

/** Characters of the rows of a unit that is large enough, and the units that are looked at to find one. */
const enough = 4_000
const mostLooked = 80

/**
 * A lake that was read from a healthy upstream ten minutes ago, and readings of single units since, which store
 * nothing.
 */
export async function openReadings(worlds: Worlds, world: World, read: readonly string[], limits = {}) {
  const clock = steppedClock(world.now)
  const home = await mkdtemp(join(tmpdir(), 'tapeline-drift-'))
  const upstream = openUpstream(worlds, clock.now, limits)
  const house = await openTestPipeline(home, upstream, clock.now, { fetch: upstream.fetch })
  await ingestAll(house, clock.now(), [...read])
  clock.advance(600_000_000)
  const http = () =>
    createHttp({
      hosts: simulatedHosts(parseConfig({}).hosts, upstream),
      random: () => 0,
      now_ms: () => 0,
      sleep: async () => undefined,
      fetch: upstream.fetch,
      limits: { attempts: 2 },
    })

  const readingOf = (unit: Unit): Promise<UnitReading> => {
    const source = sourceOf(unit.source)
    const at = clock.now()
    return house.lake.read(async (reader) => {
      const watermark = watermarkAt(source, at)
      const kept = keepRows(house.lake)
      const reading = await readUnit(source, unit, { get: http(), at, watermark, reader, lake: house.lake, kept })
      if (reading === undefined) throw new Error(`${source.name}: unchanged; expected a reading`)
      return reading
    })
  }

  /** The first unit of enough rows that a refresh reads by the route, or the largest. */
  const unitOf = async ({ source, path }: Read): Promise<Unit> => {
    const at = clock.now()
    // The first observation of a day asks for more.
    const request = { source, at, from: 0, to: at, keys: path === '/series' ? ['all'] : [], refresh: true }
    const { units: planned } = await house.lake.read((lake) => plan(sourceOf(source), request, { lake, get: http() }))
    let largest: { unit: Unit; n: number } | undefined
    for (const unit of planned.slice(0, mostLooked)) {
      let isAsked = false
      const asking = onRoute(path, (body) => {
        isAsked = true
        return body
      })
      const n = textOf(await drifted(asking, () => readingOf(unit))).length
      if (isAsked && n > (largest?.n ?? -1)) largest = { unit, n }
      if (isAsked && n > enough) break
    }
    if (largest === undefined) throw new Error(`${source}: nothing is planned; expected a unit that reads ${path}`)
    return largest.unit
  }

  const drifted = async <T>(drift: Drift, use: () => Promise<T>): Promise<T> => {
    upstream.drift(drift)
    try {
      return await use()
    } finally {
      upstream.drift(null)
    }
  }

  /** The rows of the sources by dataset, and what coverage says of their units, without the instants of readings. */
  const stored = (): Promise<Stored> =>
    house.lake.read(async ({ query }) => {
      const hashes: Record<string, string> = {}
      for (const name of new Set(read.flatMap((source) => sourceOf(source).datasets))) {
        const [sum] = await query(
          `select count(*) || ' ' || coalesce(bit_xor(hash(t)), 0) as text from lake.${name} t`,
          z.object({ text: z.string() }),
        )
        hashes[name] = sum?.text ?? ''
      }
      const units = await query(
        'select unit, dataset, state, reason, n_rows, n_read from lake.coverage order by all',
        entryShape,
      )
      return { hashes, units }
    })

  return {
    unitOf,
    readingOf,
    stored,
    /** Reads a unit of a drifted upstream, and stores what came of it. */
    store: async (unit: Unit, drift: Drift): Promise<void> => {
      const tools = { lake: house.lake, http: http(), keepRaw: false, concurrency: 1 }
      await drifted(drift, () => ingestUnits(tools, sourceOf, [unit], clock.now()))
    },
    /** Reads all stored units again, as the command does that follows a recovery. */
    refresh: async (): Promise<void> => void (await ingestAll(house, clock.now(), [...read], { refresh: true })),
    /**
     * The outcome of reading a drifted upstream: `right` rows, a failure or an incomplete unit with its reason as
     * `noticed`, or else `unnoticed`.
     */
    outcomeOf: async (unit: Unit, drift: Drift, healthy: string): Promise<'right' | 'noticed' | 'unnoticed'> => {
      const outcome = await drifted(drift, () => readingOf(unit)).catch((error: unknown) => String(error))
      if (typeof outcome === 'string') return 'noticed'
      const isProved = outcome.state === 'done' || outcome.state === 'head'
      if (!isProved && outcome.reason !== undefined) return 'noticed'
      return textOf(outcome) === healthy ? 'right' : 'unnoticed'
    },
    close: async () => {
      await house.lake.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}

const entryShape = z.object({
  unit: z.string(),
  dataset: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  n_rows: z.bigint(),
  n_read: z.bigint().nullable(),
})
type Stored = { hashes: Record<string, string>; units: z.output<typeof entryShape>[] }

export type Readings = Awaited<ReturnType<typeof openReadings>>

const sourceOf = (name: string) => {
  const source = sources.find((one) => one.name === name)
  if (source === undefined) throw new Error(`source ${name}: unknown; expected a source`)
  return assertPlanned(source)
}

/**
 * The rows of a reading, in order. The transaction of a resolution is left out: the order book, which takes over, does
 * not give it.
 */
export const textOf = ({ rows }: UnitReading): string =>
  JSON.stringify(
    Object.entries(rows).map(([name, own]) => [
      name,
      toRows(own ?? [])
        .map((row) => JSON.stringify(name === 'resolutions' ? { ...row, tx: null } : row, asText))
        .toSorted(),
    ]),
  )

const asText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
