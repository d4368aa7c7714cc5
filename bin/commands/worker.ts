import { join } from 'node:path'

import { openAccounts } from '#accounts/accounts.ts'
import { readArgs, UsageError, type Command } from '#bin/args.ts'
import { workflowsPath } from '#bin/wiring/engine.ts'
import { openHouse } from '#bin/wiring/pipeline.ts'
import { wantedAccounts } from '#bin/wiring/requested.ts'
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
    const { activityHeart, runWorker, takeSignals } = await import('#engine/temporal_worker.ts')
    takeSignals()
    const accounts = await openAccounts(join(config.home, 'accounts.db'))
    const ending = new AbortController()
    const options = { heart: activityHeart, wanted: wantedAccounts(accounts), signal: ending.signal }
    const house = await openHouse(config, options)
    try {
      await refuseForeignWorld(house.lake, config.hosts.polymarket_gamma)
      void untilStopped().then(() => ending.abort())
      const { temporal } = config
      process.stderr.write(`serving ${temporal.taskQueue} of ${temporal.namespace} at ${temporal.address}\n`)
      await runWorker({ ...temporal, activities: house.activities, workflowsPath }, ending.signal)
      return 0
    } finally {
      await house.close()
      await accounts.destroy()
    }
  },
}
