import type { ColumnDocs } from '#builder/analysts/comments.ts'
import type { Macro, Model } from '#builder/model.ts'
import { publish, publishAll, type Published, type PublishSettings } from '#builder/publish.ts'
import type { Lake } from '#lake/lake.ts'
import { gradeSignals } from '#signals/grade_signals.ts'
import { publishSignals } from '#signals/publish_signals.ts'
import type { PublicationName } from '#snapshots/publications.ts'
import type { Clock, Micros } from '#time.ts'

/** A published snapshot and its tables. `analystsCopy` is null for a publication without a copy. */
export type PublishResult = {
  snapshot: string
  asOf: Micros
  /** The snapshot of the lake that it was built from. */
  lakeSnapshot: number
  tables: { name: string; n_rows: number; content_hash: string }[]
  analystsCopy: 'published' | 'waiting' | null
}

/** One publication as of an instant, or all of one snapshot of the lake, by default the newest. */
export type BuildRequest =
  | { kind: 'publish'; name: PublicationName; asOf: Micros }
  | { kind: 'publishAll'; asOf: Micros; lakeSnapshot?: number; keepServed?: boolean }

/** Builds and publishes, in this process or in another. An aborted build publishes nothing. */
export type Build = (request: BuildRequest, cancelled?: AbortSignal) => Promise<PublishResult>

export type BuildTools = {
  lake: Lake
  models: readonly Model[]
  macros: readonly Macro[]
  columns: ColumnDocs
  /** The time of the followed world. */
  clock: Clock
  /** The machine's time. */
  now: () => Micros
  threads: number
  memory: string
  /** The longest time until a replaced snapshot is deleted; undefined: the time of its publication. */
  keepSnapshots_ms?: number
  /** Gives the secret of the ids of signals; without it no signals are published. */
  signalSecret?: () => Promise<Buffer>
}

/** Builds in this process. */
export function createBuild(tools: BuildTools): Build {
  const { lake, clock, keepSnapshots_ms, signalSecret } = tools
  return async (request, cancelled) => {
    const { asOf } = request
    const maxKeep = keepSnapshots_ms === undefined ? {} : { maxKeep_s: keepSnapshots_ms / 1_000 }
    const settings: PublishSettings = { ...tools, ...maxKeep, asOf, cancelled }
    if (request.kind === 'publishAll') return resultOf(await publishAll(lake, { ...settings, ...request }))
    // The pulse has the feed, so new signals come first.
    if (request.name === 'pulse' && signalSecret !== undefined)
      await publishSignals(lake, settings, { secret: await signalSecret(), clock })
    const published = await publish(lake, request.name, settings)
    // The scores have the outcomes of signals.
    if (request.name === 'scores' && signalSecret !== undefined) await gradeSignals(lake, settings, clock)
    return resultOf(published)
  }
}

const resultOf = ({ id, asOf, lakeSnapshot, tables, analystsCopy }: Published): PublishResult => ({
  snapshot: id,
  asOf,
  lakeSnapshot,
  analystsCopy,
  tables: tables.map(({ name, n_rows, content_hash }) => ({ name, n_rows, content_hash })),
})
