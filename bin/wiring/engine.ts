import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Config } from '#config.ts'
import type { Engine } from '#engine/engine.ts'
import { pause } from '#engine/retry.ts'
import type { ActivityContext } from '#ingest/heartbeat.ts'

import type { Pipeline } from './pipeline.ts'

/** The workflow file that a worker bundles. */
export const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url))

/**
 * Concurrent calls in one process, over all runs. Each pull holds rows in memory; each plan holds a reader of DuckDB.
 */
const limits = { pull: 16, plan: 4 }

type EngineOptions = {
  /** The activities of workflows in this process. A command that only shows or signals runs needs none. */
  activities?: object
  onError?: (id: string, error: unknown) => void
  /** A finished bundle of the workflows, with which a worker starts at once. */
  workflowBundle?: { codePath: string } | undefined
}

const reportError = (id: string, error: unknown): void => {
  process.stderr.write(`${id}: failed, will be retried: ${error instanceof Error ? error.message : String(error)}\n`)
}

/** Opens the engine of the configuration: a Temporal server, or this process. */
export async function openEngine(
  { temporal, home }: Pick<Config, 'temporal' | 'home'>,
  { activities = {}, onError = reportError }: EngineOptions = {},
): Promise<Engine> {
  // Each engine takes long to load, and no process needs both.
  if (temporal === undefined) {
    const { openLocal } = await import('#engine/embedded_client.ts')
    return openLocal({ activities, limits, file: join(home, 'runs.db'), onError })
  }
  const { connectRemote } = await import('#engine/temporal_client.ts')
  return connectRemote(temporal)
}

/** The pause of a worker after it failed. */
const again_ms = 10_000

/**
 * Opens the engine for a process that also runs activities: with a server, as one of its workers. The activities report
 * to the heartbeat of that engine.
 */
export async function openWorkingEngine(
  config: Pick<Config, 'temporal' | 'home'>,
  openPipeline: (options: { context?: () => ActivityContext; isWorker?: boolean }) => Promise<Pipeline>,
  options: Omit<EngineOptions, 'activities'> = {},
): Promise<{ pipeline: Pipeline; engine: Engine }> {
  const { temporal } = config
  if (temporal === undefined) {
    const pipeline = await openPipeline({})
    return { pipeline, engine: await openEngine(config, { ...options, activities: pipeline.activities }) }
  }
  const { temporalContext, runWorker } = await import('#engine/temporal_worker.ts')
  const pipeline = await openPipeline({ context: temporalContext, isWorker: true })
  const engine = await openEngine(config, options).catch(async (error: unknown) => {
    await pipeline.close()
    throw error
  })
  const ending = new AbortController()
  const { onError = reportError, workflowBundle } = options
  const work = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        const { activities } = pipeline
        await runWorker({ server: temporal, activities, workflowsPath, workflowBundle }, ending.signal)
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

/** Lets the command handle ^C, since its runs need its worker until they have ended. */
export async function takeSignals({ temporal }: Pick<Config, 'temporal'>): Promise<void> {
  if (temporal !== undefined) (await import('#engine/temporal_worker.ts')).takeSignals()
}

/**
 * Cancels the runs of this process, then aborts their requests: an aborted request of a cancelled run is no failure.
 */
export const endWith =
  (stop: AbortController, engine: Engine): (() => Promise<void>) =>
  async () => {
    const ended = engine.close()
    stop.abort()
    await ended
  }
