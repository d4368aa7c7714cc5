import { z } from 'zod'

import type { Engine, RunState } from '#engine/engine.ts'

import { count, standardError } from './progress.ts'

/** The progress of a run of any workflow; absent fields are not shown. */
const stateShape = z
  .object({
    group: z.string(),
    part: z.string(),
    source: z.string(),
    due: z.number(),
    units: z.number(),
    rows: z.number(),
    quarantined: z.number(),
    failed: z.number(),
    rounds: z.number(),
    published: z.number(),
    reached: z.record(z.string(), z.number()),
    isPaused: z.boolean(),
    rate: z.number().nullable(),
    fault: z.string().nullable(),
    failedRounds: z.number(),
    url: z.string().nullable(),
  })
  .partial()
type Progress = z.infer<typeof stateShape>
type Shown = { run: RunState; progress: Progress | undefined }

/** A group with more parts than this is summed up. At most this many of its failing parts are named. */
const maxPartsShown = 4
const maxFailingNamed = 5

/** The runs as lines of text. One line sums up a large group and names its failing parts and the oldest part. */
export function describeRuns(runs: readonly RunState[]): string[] {
  const shown = runs.map((run): Shown => ({ run, progress: stateShape.safeParse(run.progress).data }))
  const groups = new Map<string, Shown[]>()
  for (const part of shown) {
    const name = part.progress?.group ?? part.run.id
    groups.set(name, [...(groups.get(name) ?? []), part])
  }
  return [...groups].flatMap(([group, members]) =>
    members.length > maxPartsShown ? describeGroup(group, members) : members.map(describeRun),
  )
}

function describeGroup(group: string, members: readonly Shown[]): string[] {
  const sum = (field: 'rounds' | 'rows' | 'quarantined' | 'failed'): number =>
    members.reduce((total, { progress }) => total + (progress?.[field] ?? 0), 0)
  const oldest = members.toSorted((a, b) => reachedOf(a) - reachedOf(b))[0]
  const failing = members.filter(({ progress }) => typeof progress?.fault === 'string')
  const paused = members.filter(({ progress }) => progress?.isPaused === true).length
  const parts = [
    `${count(members.length)} parts`,
    `${count(sum('rounds'))} rounds`,
    `${count(sum('rows'))} rows`,
    sum('quarantined') > 0 ? `${count(sum('quarantined'))} quarantined` : undefined,
    sum('failed') > 0 ? `${count(sum('failed'))} units failed` : undefined,
    paused > 0 ? `${count(paused)} paused` : undefined,
    failing.length > 0 ? `${count(failing.length)} failing` : undefined,
    oldest === undefined ? undefined : `oldest ${oldest.run.id}, ${instantText(oldest) ?? 'no round yet'}`,
  ]
  const more = failing.length - maxFailingNamed
  return [
    `${group}: ${parts.filter((part) => part !== undefined).join(', ')}`,
    ...failing
      .toSorted((a, b) => (b.progress?.failedRounds ?? 0) - (a.progress?.failedRounds ?? 0))
      .slice(0, maxFailingNamed)
      .map(({ run, progress }) => `  ${run.id}: ${faultText(progress)}`),
    ...(more > 0 ? [`  and ${count(more)} more that fail`] : []),
  ]
}

function describeRun({ run: { id, workflow }, progress }: Shown): string {
  // A workflow of one step has no progress, and a busy worker may not respond.
  if (progress === undefined) return id === workflow ? id : `${id}: ${workflow}`
  const { source, units = 0, due, rounds, published, rows, quarantined = 0, failed = 0, rate = null } = progress
  const parts = [
    source,
    typeof progress.url === 'string' ? `serving ${progress.url}` : undefined,
    due === undefined ? undefined : `${count(units)} of ${count(due)} units`,
    rounds === undefined ? undefined : `${count(rounds)} rounds`,
    published === undefined ? undefined : `${count(published)} published`,
    instantText({ progress }),
    rows === undefined ? undefined : `${count(rows)} rows`,
    quarantined > 0 ? `${count(quarantined)} quarantined` : undefined,
    failed > 0 ? `${count(failed)} failed` : undefined,
    rate === null ? undefined : `at most ${count(rate)} requests in 10 s`,
    progress.isPaused === true ? 'paused' : undefined,
    faultText(progress),
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? id : `${id}: ${parts.join(', ')}`
}

/** The last instant at which a source of a follow was read; 0 before its first round. */
const reachedOf = ({ progress }: Pick<Shown, 'progress'>): number =>
  Math.max(0, ...Object.values(progress?.reached ?? {}))

const instantText = (shown: Pick<Shown, 'progress'>): string | undefined =>
  reachedOf(shown) > 0 ? `reached ${new Date(reachedOf(shown) / 1000).toISOString()}` : undefined

const faultText = (progress: Progress | undefined): string | undefined => {
  const { fault, failedRounds = 0 } = progress ?? {}
  if (typeof fault !== 'string') return undefined
  return failedRounds > 0 ? `failed ${count(failedRounds)} times in a row: ${fault}` : fault
}

const every_ms = 10_000

/** Reports the progress of the runs on standard error every ten seconds. Returns the function that ends the reports. */
export function reportRuns(engine: Pick<Engine, 'list'>): () => Promise<void> {
  let reported = Promise.resolve()
  const report = async (): Promise<void> => {
    try {
      for (const line of describeRuns(await engine.list())) standardError.write(`${line}\n`)
    } catch (error) {
      standardError.write(`runs: no progress available: ${error instanceof Error ? error.message : String(error)}\n`)
    }
  }
  const timer = setInterval(() => {
    reported = report()
  }, every_ms)
  return async () => {
    clearInterval(timer)
    await reported
  }
}
