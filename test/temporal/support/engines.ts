import { DefaultLogger, Runtime } from '@temporalio/worker'

import type { Activities } from '#activities/index.ts'
import { openWorkingEngine } from '#bin/wiring/engine.ts'
import { openPipeline, type Pipeline, type PipelineOptions } from '#bin/wiring/pipeline.ts'
import { simulatedHosts, type SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig, type Config } from '#config.ts'
import type { Engine } from '#engine/engine.ts'
import type { Source } from '#ingest/source.ts'
import { sized } from '#test/run/sized.ts'
import type { Clock } from '#time.ts'

import { sharedBundle } from './bundle.ts'

// The logs of a worker about servers that a test kills are discarded.
Runtime.install({
  logger: new DefaultLogger('ERROR', () => undefined),
  telemetryOptions: { logging: { filter: 'ERROR' } },
})

type Settings = {
  home: string
  upstream: SimulatedWorld
  clock: Clock
  /** Of the Temporal server; undefined: the embedded engine. */
  address: string | undefined
  concurrency?: number
  /** Default: every source. */
  sources?: readonly Source[]
  /** More settings, such as keys. */
  env?: Record<string, string>
  /** Sees every call of an activity on its way. */
  watch?: (activities: Activities) => Activities
}

/** The configuration of a home that reads a simulated world, without rate limits. */
export function configOf({
  home,
  upstream,
  address,
  concurrency = 4,
  sources,
  env,
}: Omit<Settings, 'clock' | 'watch'>): Config {
  const server: Record<string, string> = address === undefined ? {} : { TEMPORAL_ADDRESS: address }
  const config = parseConfig({ TAPELINE_HOME: home, ...server, ...env }, sources)
  return { ...config, threads: sized(1, 2), memory: '1GB', concurrency, hosts: simulatedHosts(config.hosts, upstream) }
}

/** A house and the engine that works in it, joined as the commands join them. */
export type Working = { pipeline: Pipeline; engine: Engine; config: Config; close: () => Promise<void> }

export async function openWorking(settings: Settings): Promise<Working> {
  const { clock, watch = (activities) => activities } = settings
  const config = configOf(settings)
  const open = async (given: PipelineOptions): Promise<Pipeline> => {
    const pipeline = await openPipeline(config, { ...given, clock, speed: 300 })
    return { ...pipeline, activities: watch(pipeline.activities) }
  }
  // Errors of runs that are tried again are the runs' own matter; a test asserts what has become of them.
  const workflowBundle = config.temporal === undefined ? undefined : await sharedBundle()
  const { pipeline, engine } = await openWorkingEngine(config, open, { onError: () => undefined, workflowBundle })
  return {
    pipeline,
    engine,
    config,
    close: async () => {
      await engine.close()
      await pipeline.close()
    },
  }
}
