import { readArgs, type Command } from '#bin/args.ts'
import { reportUnfollowed } from '#bin/report/source_health.ts'
import { keepExposing } from '#bin/report/source_metrics.ts'
import { endWith, openWorkingEngine, takeSignals } from '#bin/wiring/engine.ts'
import { followedSince, startFollowing, usualPace, type Pace } from '#bin/wiring/follow_plan.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { requestedAccounts } from '#bin/wiring/requested.ts'
import { logErrors, openService, untilStopped } from '#bin/wiring/service.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'

import { readListen } from './serve.ts'

/** One process that does everything scores again as soon as it has. */
const pace: Pace = { ...usualPace, score_ms: 15_000 }

/** `tapeline start`: follows the venues, rebuilds the marts and serves them, all in this process. */
export const start: Command = {
  usage: 'start [--port N] [--from X]',
  doc: 'Follow, score and serve in one process; markets that lived in the last 30 days, or since X.',
  run: async (args, config) => {
    const { values } = readArgs(args, { port: { type: 'string' }, from: { type: 'string' } })
    const since = followedSince(values['from'])
    await takeSignals(config)
    const stop = new AbortController()
    const close: (() => Promise<unknown>)[] = []
    try {
      const service = await openService({ ...config, listen: readListen(values['port'], config) })
      close.unshift(service.close)
      const options = { signal: stop.signal, requests: requestedAccounts(service.accounts) }
      const open = (given: object) => openPipeline(config, { ...given, ...options })
      const { pipeline, engine } = await openWorkingEngine(config, open, { onError: logErrors(service.log) })
      close.unshift(endWith(stop, engine), pipeline.close)
      await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
      reportUnfollowed(config.hosts, pipeline.sources)
      process.stdout.write(`serving ${service.url}/v1\n`)
      await startFollowing(engine, since, pace)
      close.unshift(keepExposing(service, pipeline.lake))
      await untilStopped()
      return 0
    } finally {
      for (const end of close) await end()
    }
  },
}
