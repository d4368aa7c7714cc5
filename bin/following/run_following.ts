import { pino } from 'pino'

import { reportUnfollowed } from '#bin/report/source_health.ts'
import { keepWatching } from '#bin/report/source_metrics.ts'
import { openAccountsOf } from '#bin/wiring/accounts.ts'
import { endWith, openWorkingEngine, takeSignals } from '#bin/wiring/engine.ts'
import { startFollowing, untilLost, usualPace, type Pace } from '#bin/wiring/follow_plan.ts'
import { openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import { refuseForeignQueue } from '#bin/wiring/queue_guard.ts'
import { logErrors, requestedAccounts } from '#bin/wiring/service.ts'
import { storeShippedAssets } from '#bin/wiring/shipped_assets.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'
import { parseConfig } from '#config.ts'
import { machineClock, type Micros } from '#time.ts'

import { refusalOf, type Order, type Report } from './messages.ts'

/**
 * The process that follows the venues for `tapeline start`, which `following_process.js` starts. It ends with that
 * process, and at its order. It ignores ^C, which a terminal sends to both.
 */
const ended = new Promise<void>((resolve) => {
  process.on('message', (order: Order) => void (order.kind === 'end' && resolve()))
  process.on('SIGTERM', resolve)
  // Without the process that serves, the runs end as at its order.
  process.on('disconnect', resolve)
})
/** A process that also serves publishes scores more often than a follow. */
const pace: Pace = { ...usualPace, score_ms: 15_000 }

const report = (message: Report): void => void process.send?.(message, () => undefined)

async function follow(since: Micros): Promise<void> {
  const config = parseConfig(process.env)
  const log = pino({ base: null, level: 'warn' }, pino.destination({ dest: 2, sync: false }))
  await takeSignals(config)
  const stop = new AbortController()
  const close: (() => Promise<unknown>)[] = []
  try {
    const accounts = await openAccountsOf(config)
    close.unshift(() => accounts.destroy())
    const options = { signal: stop.signal, buildsApart: true, requests: requestedAccounts(accounts) }
    // The worker of another home would take a part of the units, so the queue is claimed before it begins.
    const open = async (given: object): Promise<Pipeline> => {
      const opened = await openPipeline(config, { ...given, ...options })
      close.unshift(opened.close)
      await refuseForeignQueue(config, opened.lake)
      return opened
    }
    const { pipeline, engine } = await openWorkingEngine(config, open, { onError: logErrors(log) })
    close.unshift(endWith(stop, engine))
    await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
    await storeShippedAssets(pipeline.lake, machineClock())
    reportUnfollowed(config.hosts, pipeline.sources)
    const runs = await startFollowing(engine, since, pace, pipeline.sources)
    report({ kind: 'following' })
    close.unshift(keepWatching(pipeline, { show: (watched) => report({ kind: 'watched', watched }), log }))
    await (config.temporal === undefined ? Promise.race([ended, untilLost(runs)]) : ended)
  } finally {
    for (const end of close) await end()
  }
}

process.on('message', (order: Order) => {
  if (order.kind !== 'follow') return
  void follow(order.since)
    .catch((error: unknown) => report(refusalOf(error)))
    .finally(() => process.connected && process.disconnect())
})
process.on('SIGINT', () => undefined)
