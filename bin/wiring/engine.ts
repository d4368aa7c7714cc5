import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { ActivityContext } from '#activities/ingest/heartbeat.ts'
import type { Config } from '#config.ts'
import { openLocal } from '#engine/embedded_client.ts'
import type { Engine } from '#engine/engine.ts'
import { pause } from '#engine/retry.ts'

import type { Pipeline } from './pipeline.ts'

/** The file that a worker bundles. */
export const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url))

/** Calls at once in one process, all runs together: each pull holds rows in memory, each plan a reader of DuckDB. */
const limits = { pull: 16, plan: 4 }

type EngineOptions = {
  /** What workflows of this process may call. Who only looks at runs, or talks to them, has none. */
  activities?: object
  onError?: (id: string, error: unknown) => void
  /** Workflows that are bundled already, of which a worker is made at once. */
  workflowBundle?: { codePath: string } | undefined
}

const reportError = (id: string, error: unknown): void => {
  process.stderr.write(`${id} failed and is tried again: ${error instanceof Error ? error.message : String(error)}\n`)
}

/** The engine that the configuration names: a Temporal server, or this process. */
export async function openEngine(
  { temporal, home }: Pick<Config, 'temporal' | 'home'>,
  { activities = {}, onError = reportError }: EngineOptions = {},
): Promise<Engine> {
  if (temporal === undefined) return openLocal({ activities, limits, file: join(home, 'runs.db'), onError })
  // Its client takes half a second to load, which most commands need not spend.
  const { connectRemote } = await import('#engine/temporal_client.ts')
  return connectRemote(temporal)
}

/** How long a worker rests after it failed. */
const again_ms = 10_000

/**
 * The engine of a process that also runs the activities; with a server, the process is one of its workers. The pipeline
 * is opened with the activity context of that engine.
 */
export async function openWorkingEngine(
  config: Pick<Config, 'temporal' | 'home'>,
  openPipeline: (options: { context?: () => ActivityContext }) => Promise<Pipeline>,
  options: Omit<EngineOptions, 'activities'> = {},
): Promise<{ pipeline: Pipeline; engine: Engine }> {
  const { temporal } = config
  if (temporal === undefined) {
    const pipeline = await openPipeline({})
    return { pipeline, engine: await openEngine(config, { ...options, activities: pipeline.activities }) }
  }
  const { temporalContext, runWorker } = await import('#engine/temporal_worker.ts')
  const pipeline = await openPipeline({ context: temporalContext })
  const engine = await openEngine(config, options)
  const ending = new AbortController()
  const { onError = reportError, workflowBundle } = options
  const work = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        const { activities } = pipeline
        await runWorker({ ...temporal, activities, workflowsPath, workflowBundle }, ending.signal)
      } catch (error) {
        onError('worker', error)
      }
      await pause(again_ms, ending.signal).catch(() => undefined)
    }
  }
  const worked = work()
  const close = async (): Promise<void> => {
    ending.abort()
    await worked
    await engine.close()
  }
  return { pipeline, engine: { ...engine, close } }
}

/** Leaves it to a command what ^C ends, and in which order: its worker is needed until its runs have ended. */
export async function takeSignals({ temporal }: Pick<Config, 'temporal'>): Promise<void> {
  if (temporal !== undefined) (await import('#engine/temporal_worker.ts')).takeSignals()
}

/** Ends what runs here, and with it what it waits for: once a run is cancelled, a request that is cut off is no failure. */
export const endWith =
  (stop: AbortController, engine: Engine): (() => Promise<void>) =>
  async () => {
    const ended = engine.close()
    stop.abort()
    await ended
  }
