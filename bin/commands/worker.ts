import { defineCommand } from '#bin/command_line/command.ts'
import { UsageError } from '#bin/command_line/values.ts'
import { openAccountsOf } from '#bin/wiring/accounts.ts'
import { openEngine, workflowsPath } from '#bin/wiring/engine.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { refuseForeignQueue } from '#bin/wiring/queue_guard.ts'
import { requestedAccounts, untilStopped } from '#bin/wiring/service.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'

/**
 * `tapeline worker`: runs workflows and activities for a Temporal server. Any number of workers may run, on any
 * machines.
 */
export const worker = defineCommand({
  summary: 'Run the workflows and activities of the Temporal server at TEMPORAL_ADDRESS.',
  define: (command) => command,
  run: async (_options, config) => {
    if (config.temporal === undefined)
      throw new UsageError('TEMPORAL_ADDRESS: not set; expected a Temporal server, such as localhost:7233')
    const { temporalContext, runWorker, takeSignals } = await import('#engine/temporal_worker.ts')
    takeSignals()
    // A client names the setting that the server refuses; the connection of a worker does not.
    await (await openEngine(config)).close()
    const accounts = await openAccountsOf(config)
    const ending = new AbortController()
    const options = { context: temporalContext, requests: requestedAccounts(accounts), signal: ending.signal }
    const pipeline = await openPipeline(config, options)
    try {
      await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
      await refuseForeignQueue(config, pipeline.lake)
      void untilStopped().then(() => ending.abort())
      const { temporal } = config
      process.stderr.write(`serving ${temporal.taskQueue} of ${temporal.namespace} at ${temporal.address}\n`)
      await runWorker({ server: temporal, activities: pipeline.activities, workflowsPath }, ending.signal)
      return 0
    } finally {
      await pipeline.close()
      await accounts.destroy()
    }
  },
})
