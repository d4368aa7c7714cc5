import { join } from 'node:path'

import { openAccounts } from '#accounts/accounts.ts'
import { readArgs, UsageError, type Command } from '#bin/args.ts'
import { workflowsPath } from '#bin/wiring/engine.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { requestedAccounts } from '#bin/wiring/requested.ts'
import { untilStopped } from '#bin/wiring/service.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'

/** `tapeline worker`: does the work of a Temporal server. As many as wanted may run, on as many machines. */
export const worker: Command = {
  usage: 'worker',
  doc: 'Run the workflows and activities that the server at TEMPORAL_ADDRESS hands out.',
  run: async (args, config) => {
    readArgs(args, {})
    if (config.temporal === undefined)
      throw new UsageError('TEMPORAL_ADDRESS is not set: which server is to be served?')
    const { temporalContext, runWorker, takeSignals } = await import('#engine/temporal_worker.ts')
    takeSignals()
    const accounts = await openAccounts(join(config.home, 'accounts.db'))
    const ending = new AbortController()
    const options = { context: temporalContext, requests: requestedAccounts(accounts), signal: ending.signal }
    const pipeline = await openPipeline(config, options)
    try {
      await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
      void untilStopped().then(() => ending.abort())
      const { temporal } = config
      process.stderr.write(`serving ${temporal.taskQueue} of ${temporal.namespace} at ${temporal.address}\n`)
      await runWorker({ ...temporal, activities: pipeline.activities, workflowsPath }, ending.signal)
      return 0
    } finally {
      await pipeline.close()
      await accounts.destroy()
    }
  },
}
