import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, portOf } from '#bin/command_line/values.ts'
import { reportUnfollowed } from '#bin/report/source_health.ts'
import { keepExposing } from '#bin/report/source_metrics.ts'
import { endWith, openWorkingEngine, takeSignals } from '#bin/wiring/engine.ts'
import { followedSince, startFollowing, usualPace, type Pace } from '#bin/wiring/follow_plan.ts'
import { openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import { refuseForeignQueue } from '#bin/wiring/queue_guard.ts'
import { logErrors, openService, requestedAccounts, untilStopped } from '#bin/wiring/service.ts'
import { storeShippedAssets } from '#bin/wiring/shipped_assets.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'
import { machineClock } from '#time.ts'

import { listenOn } from './serve.ts'

/** The process that also serves publishes scores more often than a follow. */
const pace: Pace = { ...usualPace, score_ms: 15_000 }

/** `tapeline start`: follows the venues, rebuilds the marts and serves them in this process. */
export const start = defineCommand({
  summary: 'Follow the venues, score and serve, in one process.',
  define: (command) =>
    command
      .option('--port <n>', 'Listen on this port; 0 takes any free one.', portOf)
      .option(
        '--from <instant>',
        'Read markets that were open at or after this instant; 30 days ago by default.',
        instantOf('--from'),
      ),
  run: async ({ port, from }, config) => {
    const since = followedSince(from)
    await takeSignals(config)
    const stop = new AbortController()
    const close: (() => Promise<unknown>)[] = []
    try {
      const service = await openService({ ...config, listen: listenOn(port, config) })
      close.unshift(service.close)
      const options = { signal: stop.signal, buildsApart: true, requests: requestedAccounts(service.accounts) }
      // The worker of another home would take a part of the units, so the queue is claimed before it begins.
      const open = async (given: object): Promise<Pipeline> => {
        const opened = await openPipeline(config, { ...given, ...options })
        close.unshift(opened.close)
        await refuseForeignQueue(config, opened.lake)
        return opened
      }
      const { pipeline, engine } = await openWorkingEngine(config, open, { onError: logErrors(service.log) })
      close.unshift(endWith(stop, engine))
      await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
      await storeShippedAssets(pipeline.lake, machineClock())
      reportUnfollowed(config.hosts, pipeline.sources)
      process.stdout.write(`serving ${service.url}/v1\n`)
      await startFollowing(engine, since, pace, pipeline.sources)
      close.unshift(keepExposing(service, pipeline))
      await untilStopped()
      return 0
    } finally {
      for (const end of close) await end()
    }
  },
})
