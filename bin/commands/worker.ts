import { pino, type Logger } from 'pino'

import { defineCommand } from '#bin/command_line/command.ts'
import { UsageError } from '#bin/command_line/values.ts'
import { exposeBuilds } from '#bin/report/build_metrics.ts'
import { openMetricsFile } from '#bin/report/metrics_files.ts'
import { exposeSources, keepWatching } from '#bin/report/source_metrics.ts'
import { openAccountsOf } from '#bin/wiring/accounts.ts'
import { openEngine, workflowsPath } from '#bin/wiring/engine.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { refuseForeignQueue } from '#bin/wiring/queue_guard.ts'
import { requestedAccounts } from '#bin/wiring/service.ts'
import { supervised, untilStopped } from '#bin/wiring/stopped.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'
import { queues, type Queue } from '#engine/engine.ts'
import type { ActivityContext } from '#ingest/heartbeat.ts'

/** The time of units in flight after the first signal, below the ten seconds after which a container is killed. */
const grace_ms = 8_000

/**
 * `tapeline worker`: runs workflows and activities for a Temporal server. Any number of workers may run, on any
 * machines.
 */
export const worker = defineCommand({
  summary: 'Run the workflows and activities of the Temporal server at TEMPORAL_ADDRESS.',
  define: (command) =>
    command
      .option('--queue <queue>', 'Serve one queue, ingest or score; by default both.', queueOf)
      .option(...supervised),
  run: async ({ queue, supervised: isSupervised = false }, config) => {
    if (config.temporal === undefined)
      throw new UsageError('TEMPORAL_ADDRESS: not set; expected a Temporal server, such as localhost:7233')
    const { temporalContext, runWorker, takeSignals } = await import('#engine/temporal_worker.ts')
    const { queueName } = await import('#engine/temporal/task_queue.ts')
    // A client names the setting that the server refuses; the connection of a worker does not.
    await (await openEngine(config)).close()
    const accounts = await openAccountsOf(config)
    const [draining, ending] = [new AbortController(), new AbortController()]
    const context = (): ActivityContext => ({ ...temporalContext(), draining: draining.signal })
    const requests = requestedAccounts(accounts)
    const served = queue === undefined ? queues : [queue]
    const isWorker = served.includes('ingest')
    const metrics = await openMetricsFile(config.home, 'worker', { isOnly: false })
    const onBuild = exposeBuilds(metrics.registry)
    const pipeline = await openPipeline(config, { context, requests, signal: ending.signal, isWorker, onBuild })
    const endWatch = isWorker
      ? keepWatching(pipeline, { show: exposeSources(metrics.registry), log: metrics.log })
      : null
    try {
      await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
      await refuseForeignQueue(config, pipeline.lake)
      // Its lines may be mixed with those of units, so that all of them are JSON.
      const log = pino({ base: null }, pino.destination({ dest: 2, sync: false }))
      void drainAtSignal(draining, { isSupervised, log })
      const { temporal } = config
      const names = served.map((taskQueue) => queueName(temporal, taskQueue)).join(', ')
      log.info(`serving ${names} of ${temporal.namespace} at ${temporal.address}`)
      const { activities } = pipeline
      // Without a worker, the SDK would hold the process.
      takeSignals({
        metrics: config.workerMetrics,
        log: (level, message, details) => log[level]({ details }, message),
      })
      await runWorker({ server: temporal, queues: served, activities, workflowsPath, grace_ms }, draining.signal)
      return 0
    } finally {
      // A request of a cancelled activity would hold the process.
      ending.abort()
      await endWatch?.()
      await metrics.close()
      await pipeline.close()
      await accounts.destroy()
    }
  },
})

function queueOf(text: string): Queue {
  const queue = queues.find((name) => name === text)
  if (queue === undefined) throw new UsageError(`--queue ${text}: unknown; expected ${queues.join(' or ')}`)
  return queue
}

/** Lets the worker take no other work from the first signal on. */
async function drainAtSignal(
  draining: AbortController,
  { isSupervised, log }: { isSupervised: boolean; log: Logger },
): Promise<void> {
  await untilStopped({ isSupervised })
  log.info(`draining: the units in flight have ${grace_ms / 1_000} s; another signal ends them now`)
  draining.abort()
}
