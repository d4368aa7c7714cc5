import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, UsageError } from '#bin/command_line/values.ts'
import { runningElsewhere, showUntilEnd } from '#bin/following/attached.ts'
import { openHomeRuns } from '#bin/following/start_run.ts'
import { reportRuns } from '#bin/report/runs.ts'
import { reportUnfollowed } from '#bin/report/source_health.ts'
import { watchWorkers } from '#bin/report/workers.ts'
import { openAccountsOf } from '#bin/wiring/accounts.ts'
import { endWith, openEngine } from '#bin/wiring/engine.ts'
import {
  followedSince,
  requestedId,
  startFollowing,
  stopFollowing,
  untilLost,
  usualPace,
} from '#bin/wiring/follow_plan.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { refuseForeignQueue } from '#bin/wiring/queue_guard.ts'
import { requestedAccounts, untilStopped } from '#bin/wiring/service.ts'
import { storeShippedAssets } from '#bin/wiring/shipped_assets.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'
import type { Config } from '#config.ts'
import { AlreadyRunning, type Engine } from '#engine/engine.ts'
import { machineClock, type Micros } from '#time.ts'

/** `tapeline follow`: reads events as they happen, and rebuilds the marts. */
export const follow = defineCommand({
  summary: 'Follow the venues and score, without serving.',
  define: (command) =>
    command
      .option(
        '--from <instant>',
        'Read markets that were open at or after this instant; 30 days ago by default.',
        instantOf('--from'),
      )
      .option('--stop', 'End the follow of a Temporal server.'),
  run: async ({ from, stop: isStop = false }, config) => {
    if (isStop) {
      if (config.temporal === undefined)
        throw new UsageError('--stop: no server; expected TEMPORAL_ADDRESS (without it ^C ends a follow)')
      return stop(config)
    }
    const given = { since: followedSince(from), isGiven: from !== undefined }
    if (config.temporal !== undefined) await followHere(config, given)
    else if (!(await hasShownFirst(config, given)))
      await followHere(config, given).catch(async (error: unknown) => {
        // Another process began at the same instant, or while this one was stopped.
        if (!(error instanceof AlreadyRunning) || !(await hasShownFirst(config, given))) throw error
      })
    return 0
  },
})

/** `isGiven`: the command names its start. */
type Given = { since: Micros; isGiven: boolean }

async function followHere(config: Config, given: Given): Promise<void> {
  const ending = new AbortController()
  const accounts = await openAccountsOf(config)
  const options = { signal: ending.signal, requests: requestedAccounts(accounts) }
  const pipeline = await openPipeline(config, options).catch(async (error: unknown) => {
    await accounts.destroy()
    throw error
  })
  try {
    await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
    await refuseForeignQueue(config, pipeline.lake)
    await storeShippedAssets(pipeline.lake, machineClock())
    reportUnfollowed(config.hosts, pipeline.sources)
    const engine = await openEngine(config, pipeline)
    try {
      await followOn(engine, config, given)
    } finally {
      await endWith(ending, engine)()
    }
  } finally {
    await pipeline.close()
    await accounts.destroy()
  }
}

/** Shows the follow of another process of the home until its end; false if there is none. */
async function hasShownFirst(config: Config, { isGiven }: Pick<Given, 'isGiven'>): Promise<boolean> {
  const runs = await openHomeRuns(config)
  try {
    const first = await runningElsewhere(runs, requestedId)
    if (first === undefined) return false
    if (isGiven) process.stderr.write(ignoredFrom)
    await showUntilEnd(runs, first, untilStopped())
    return true
  } finally {
    await runs.close()
  }
}

const ignoredFrom = '--from: ignored, since a follow is running; its own start stays in force\n'

/** Starts the runs of a follow that do not run yet, and reports their progress until ^C. */
async function followOn(engine: Engine, { temporal, sources }: Config, { since, isGiven }: Given): Promise<void> {
  const runs = await startFollowing(engine, since, usualPace, sources)
  if (isGiven && runs.some(({ isOld }) => isOld)) {
    process.stderr.write(ignoredFrom)
  }
  if (temporal !== undefined) {
    process.stderr.write('the follow runs on the server: ^C ends this view, `tapeline follow --stop` ends the follow\n')
  }
  const stopReporting = reportRuns(engine)
  const endWatch = watchWorkers(engine)
  try {
    await (temporal === undefined ? Promise.race([untilStopped(), untilLost(runs)]) : untilStopped())
  } finally {
    await endWatch()
    await stopReporting()
  }
}

async function stop(config: Config): Promise<number> {
  const engine = await openEngine(config)
  try {
    const ended = await stopFollowing(engine)
    process.stdout.write(ended.length === 0 ? 'no follow was running\n' : `ended ${ended.join(', ')}\n`)
    return 0
  } finally {
    await engine.close()
  }
}
