import { z } from 'zod'

import type { Engine, RunState } from '#engine/engine.ts'

import { count, standardError } from './progress.ts'

/** What a run tells of itself, whichever workflow it is of; what one does not tell is not shown. */
const stateShape = z
  .object({
    source: z.string(),
    due: z.number(),
    units: z.number(),
    rows: z.number(),
    quarantined: z.number(),
    failed: z.number(),
    rounds: z.number(),
    reached: z.record(z.string(), z.number()),
    isPaused: z.boolean(),
    rate: z.number().nullable(),
    fault: z.string().nullable(),
  })
  .partial()

/** A run in one line. */
export function describeRun({ id, workflow, progress }: RunState): string {
  const { data: state } = stateShape.safeParse(progress)
  // A workflow of one step has nothing to tell, and a worker that is busy may not answer.
  if (state === undefined) return id === workflow ? id : `${id}: ${workflow}`
  const reached = Math.max(...Object.values(state.reached ?? {}))
  const parts = [
    state.source,
    state.due === undefined ? undefined : `${count(state.units ?? 0)} of ${count(state.due)} units`,
    state.rounds === undefined ? undefined : `${count(state.rounds)} rounds`,
    reached > 0 ? `reached ${new Date(reached / 1000).toISOString()}` : undefined,
    state.rows === undefined ? undefined : `${count(state.rows)} rows`,
    (state.quarantined ?? 0) > 0 ? `${count(state.quarantined ?? 0)} quarantined` : undefined,
    (state.failed ?? 0) > 0 ? `${count(state.failed ?? 0)} failed` : undefined,
    state.rate === null || state.rate === undefined ? undefined : `at most ${count(state.rate)} requests in 10 s`,
    state.isPaused === true ? 'paused' : undefined,
    typeof state.fault === 'string' ? `not published: ${state.fault}` : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? id : `${id}: ${parts.join(', ')}`
}

const every_ms = 10_000

/** Tells on standard error how all that runs goes, now and then. Returns what ends it. */
export function reportRuns(engine: Pick<Engine, 'list'>): () => Promise<void> {
  let told = Promise.resolve()
  const tell = async (): Promise<void> => {
    try {
      for (const run of await engine.list()) standardError.write(`${describeRun(run)}\n`)
    } catch (error) {
      standardError.write(`what runs is not known now: ${error instanceof Error ? error.message : String(error)}\n`)
    }
  }
  const timer = setInterval(() => {
    told = tell()
  }, every_ms)
  return async () => {
    clearInterval(timer)
    await told
  }
}
