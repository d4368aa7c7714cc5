import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, portOf } from '#bin/command_line/values.ts'
import { runningElsewhere, showUntilEnd } from '#bin/following/attached.ts'
import { openFollowing } from '#bin/following/open_following.ts'
import { addressOf, beginStart, openHomeRuns, startId, type Served } from '#bin/following/start_run.ts'
import { exposeSources } from '#bin/report/source_metrics.ts'
import { followedSince } from '#bin/wiring/follow_plan.ts'
import { openService, untilStopped } from '#bin/wiring/service.ts'
import type { Config } from '#config.ts'
import { AlreadyRunning, type Engine } from '#engine/engine.ts'
import type { Micros } from '#time.ts'

import { listenOn } from './serve.ts'

/** `tapeline start`: serves the marts, and follows the venues and rebuilds the marts in processes of their own. */
export const start = defineCommand({
  summary: 'Follow the venues, score and serve.',
  define: (command) =>
    command
      .option('--port <n>', 'Listen on this port; 0 takes any free one.', portOf)
      .option(
        '--from <instant>',
        'Read markets that were open at or after this instant; 30 days ago by default.',
        instantOf('--from'),
      ),
  run: async ({ port, from }, config) => {
    const stopped = untilStopped()
    const since = followedSince(from)
    const runs = await openHomeRuns(config)
    try {
      const given = { isGiven: port !== undefined || from !== undefined, stopped }
      if (await hasShownFirst(runs, given)) return 0
      const own = serveAndFollow(runs, { ...config, listen: listenOn(port, config) }, since, stopped)
      await own.catch(async (error: unknown) => {
        // Another process began at the same instant, or while this one was stopped.
        if (!(error instanceof AlreadyRunning) || !(await hasShownFirst(runs, given))) throw error
      })
      return 0
    } finally {
      await runs.close()
    }
  },
})

async function serveAndFollow(runs: Engine, config: Config, since: Micros, stopped: Promise<void>): Promise<void> {
  const served: Served = { url: null }
  // Other processes find this run before it listens, so that they do not try its port.
  const own = await beginStart(runs, served)
  const lost = own.result().catch((error: unknown) => {
    if (error instanceof AlreadyRunning) throw error
  })
  const ended = Promise.race([stopped, lost])
  ended.catch(() => undefined)
  const service = await openService(config)
  try {
    const show = exposeSources(service.registry)
    const following = openFollowing({ since, show, log: service.log })
    try {
      const serving = following.started.then(() => {
        served.url = service.url
        process.stdout.write(`serving ${service.url}/v1\n`)
        return ended
      })
      await Promise.race([serving, ended])
    } finally {
      await following.close()
    }
  } finally {
    await service.close()
  }
}

/** Shows the `tapeline start` that this home has already; false if there is none. */
async function hasShownFirst(
  runs: Engine,
  { isGiven, stopped }: { isGiven: boolean; stopped: Promise<void> },
): Promise<boolean> {
  const first = await runningElsewhere(runs, startId)
  if (first === undefined) return false
  if (isGiven)
    process.stderr.write(
      '--port, --from: ignored, since this home is served and followed already; `tapeline serve` listens on a further port\n',
    )
  const url = await addressOf(first)
  if (url !== null) process.stdout.write(`already serving ${url}/v1\n`)
  await showUntilEnd(runs, first, stopped)
  return true
}
