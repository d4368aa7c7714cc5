import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { z } from 'zod'

import { describeOutcomes } from '#bin/report/outcome.ts'
import { sourceStates } from '#bin/report/source_health.ts'
import { startWorkflow } from '#engine/embedded_workflow.ts'
import { steppedClock } from '#sim/clock.ts'
import type { World } from '#sim/markets/types.ts'
import type { Worlds } from '#sim/markets/venues.ts'
import type { Reply } from '#sim/server/reply.ts'
import { sources } from '#sources/index.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'

import { openUpstream, type Drift } from './upstream.ts'

/** A drift that may follow from the upstream's time. */
export type TimedDrift = (...args: [...Parameters<Drift>, now_ms: number]) => Reply

/** A drift of an upstream, and the backfill that meets it. */
export type Case = {
  source: string
  drift: TimedDrift
  isRefresh: boolean
  isLater: boolean
  /** Whether the answers lack so much that a refresh must say it. */
  isGrave: boolean
}

const grid = 600_000_000

/** A lake that was read from a healthy upstream, over which cases are tried one after the other. */
export async function openStoredFacts(worlds: Worlds, world: World, { read, limits = {} }: Tried) {
  const clock = steppedClock(world.now)
  const home = await mkdtemp(join(tmpdir(), 'tapeline-stored-'))
  const upstream = openUpstream(worlds, clock.now, limits)
  const house = await openTestPipeline(home, upstream, clock.now, { fetch: upstream.fetch })
  await ingestAll(house, clock.now(), [...read])

  const backfillOf = (source: string, refresh: boolean): Promise<Progress> =>
    startWorkflow(backfill, {
      args: [{ source, from: 0, to: clock.now(), keys: [], refresh }],
      activities: house.activities,
    }).result

  /** The rows of a source, and the states of its units with their reasons. */
  const storedOf = (name: string): Promise<Stored> =>
    house.lake.read(async ({ query }) => {
      const rows = new Set<string>()
      for (const dataset of sources.find((source) => source.name === name)?.datasets ?? []) {
        const sql = `select '${dataset} ' || to_json(t) as text from lake.${dataset} t where source = $name`
        for (const { text } of await query(sql, textShape, { name })) rows.add(text)
      }
      const sql = `select unit, dataset, state, reason, reason_code, n_rows::int as n_rows from lake.coverage
        where source = $name order by unit, dataset`
      return { rows, units: await query(sql, unitShape, { name }) }
    })

  return {
    /** Meets a drift, then a healthy upstream by the plain command. Returns what is wrong. */
    problemsOf: async ({ source, drift, isRefresh, isLater, isGrave }: Case): Promise<string[]> => {
      if (isLater) clock.advance(grid)
      const before = await storedOf(source)
      let isChanged = false
      upstream.drift((ask, reply) => {
        const drifted = drift(ask, reply, clock.now() / 1000)
        isChanged ||= drifted !== reply && JSON.stringify(drifted) !== JSON.stringify(reply)
        return drifted
      })
      const progress = await backfillOf(source, isRefresh).finally(() => upstream.drift(null))
      const drifted = await storedOf(source)
      const [state] = (await sourceStates(house.lake, clock.now())).filter((row) => row.source === source)
      const { isFailed } = describeOutcomes([{ source, progress }], { failing: [], seconds: 1 })
      // A plain backfill reads nothing twice in one instant.
      clock.advance(grid)
      const healthy = await backfillOf(source, false)
      const after = await storedOf(source)
      const isTold = isFailed || drifted.units.some(({ reason }) => reason !== null)
      return [
        ...lost(before, drifted).map((row) => `lost: ${row}`),
        ...lost(before, after).map((row) => `not restored: ${row}`),
        ...(isChanged && isGrave && isRefresh && !isTold ? ['not told'] : []),
        ...((progress.refused ?? 0) > 0 && !(isFailed && isNoted(drifted)) ? ['refused, but the command says 0'] : []),
        ...(state !== undefined && state.refused_readings > 0 && !isFailed ? ['refused by status alone'] : []),
        ...healthy.failures.map(({ unit, reason }) => `not healthy: ${unit}: ${reason}`),
        ...worse(before, after),
      ]
    },
    close: async () => {
      await house.lake.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}

export type StoredFacts = Awaited<ReturnType<typeof openStoredFacts>>
type Tried = { read: readonly string[]; limits?: { mostRows?: number } }

const textShape = z.object({ text: z.string() })
const unitShape = z.object({
  unit: z.string(),
  dataset: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  reason_code: z.string().nullable(),
  n_rows: z.number(),
})
type Stored = { rows: Set<string>; units: z.output<typeof unitShape>[] }

/** The first rows that are not in a later state of the lake. */
const lost = (before: Stored, after: Stored): string[] =>
  [...before.rows].filter((row) => !after.rows.has(row)).slice(0, 2)

const isNoted = ({ units }: Stored): boolean => units.some(({ reason_code }) => reason_code === 'refused')

/**
 * The units that a healthy upstream left worse than they were. A list of an instant is not read again, and a unit with
 * new rows is read again when its source plans it.
 */
function worse(before: Stored, after: Stored): string[] {
  const states = new Map(after.units.map((entry) => [`${entry.unit} ${entry.dataset}`, entry]))
  const grown = new Set(
    before.units.flatMap(({ unit, dataset, n_rows }) =>
      (states.get(`${unit} ${dataset}`)?.n_rows ?? 0) > n_rows ? [unit] : [],
    ),
  )
  return before.units.flatMap(({ unit, dataset, state, reason }) => {
    if (grown.has(unit)) return []
    const now = states.get(`${unit} ${dataset}`)
    const isWorse = (state === 'done' || state === 'head') && now?.state !== 'done' && now?.state !== 'head'
    const isMarked = reason === null && now?.reason !== null && !/\/\d{4}-\d{2}-\d{2}T\d{4}$/.test(unit)
    return isWorse || isMarked
      ? [`worse: ${unit} ${dataset}: ${state}, ${reason} became ${now?.state}, ${now?.reason}`]
      : []
  })
}
