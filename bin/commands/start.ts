import { fileURLToPath } from 'node:url'

import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, portOf } from '#bin/command_line/values.ts'
import { followedSince } from '#bin/wiring/follow_plan.ts'
import { openHomeRuns, runningElsewhere, servedUrls, showPresence, showUntilEnd } from '#bin/wiring/home_runs.ts'
import { untilStopped } from '#bin/wiring/stopped.ts'
import { supervise, type Child } from '#bin/wiring/supervise.ts'
import type { Config } from '#config.ts'
import { AlreadyRunning, type Engine } from '#engine/engine.ts'
import { isoMicros, type Micros } from '#time.ts'

/** The run that a `tapeline start` is, by which others of its home find it. */
const startId = 'start'
/** The API answers before rows are read and figures are built. */
const BACKGROUND = 10
/** A process that also serves publishes the scores more often than the default. */
const SCORES_EVERY_S = 15

/** `tapeline start`: follows, publishes and serves, each as the command of that name. */
export const start = defineCommand({
  summary: 'Follow the venues, publish the figures and serve them.',
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
    // An invalid start is refused here, and by no child.
    followedSince(from)
    const request = { port, from, isGiven: port !== undefined || from !== undefined, stopped }
    const runs = await openHomeRuns(config)
    try {
      if (await hasShownFirst(runs, request)) return 0
      const { ended } = await showPresence(runs, startId, {})
      return await supervise(childrenOf(config, request), Promise.race([stopped, ended]))
    } catch (error) {
      // Another process began at the same instant.
      if (!(error instanceof AlreadyRunning) || !(await hasShownFirst(runs, request))) throw error
      return 0
    } finally {
      await runs.close()
    }
  },
})

type Given = { port: number | undefined; from: Micros | undefined }

const entry = fileURLToPath(new URL('../tapeline.js', import.meta.url))

function childrenOf({ temporal }: Pick<Config, 'temporal'>, { port, from }: Given): Child[] {
  const child = (name: string, ...options: string[]) => ({ name, args: [entry, name, ...options, '--supervised'] })
  return [
    child('serve', ...(port === undefined ? [] : ['--port', String(port)])),
    {
      ...child('follow', ...(from === undefined ? [] : ['--from', `${isoMicros(from).replace(' ', 'T')}Z`])),
      nice: BACKGROUND,
    },
    { ...child('publish', '--scores-every', String(SCORES_EVERY_S)), nice: BACKGROUND },
    // On a server the others start runs, which workers execute.
    ...(temporal === undefined ? [] : [{ ...child('worker'), nice: BACKGROUND }]),
  ]
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
  for (const url of await servedUrls(runs)) process.stdout.write(`already serving ${url}/v1\n`)
  await showUntilEnd(runs, first, stopped)
  return true
}
