import { defineCommand } from '#bin/command_line/command.ts'
import { portOf, UsageError } from '#bin/command_line/values.ts'
import { isWritable, withReadableHome } from '#bin/report/read_only_home.ts'
import { openHomeRuns, showPresence } from '#bin/wiring/home_runs.ts'
import { openService, type Service } from '#bin/wiring/service.ts'
import { supervised, untilStopped } from '#bin/wiring/stopped.ts'
import type { Config } from '#config.ts'
import { AlreadyRunning } from '#engine/engine.ts'

/** `tapeline serve`: serves the published snapshots, and replaces them by newer snapshots. */
export const serve = defineCommand({
  reads: 'home',
  summary: 'Serve the API from the published snapshots.',
  define: (command) =>
    command.option('--port <n>', 'Listen on this port; 0 takes any free one.', portOf).option(...supervised),
  run: async ({ port, supervised: isSupervised = false }, config) => {
    const stopped = untilStopped({ isSupervised })
    const settings = { ...config, listen: listenOn(port, config) }
    if (await isWritable(config.home)) return serveHome(settings, stopped)
    process.stderr.write(`home ${config.home}: cannot be written; changes of accounts end with this process\n`)
    return withReadableHome(settings, (readable) => serveHome(readable, stopped))
  },
})

async function serveHome(config: Config, stopped: Promise<void>): Promise<number> {
  const service = await openService(config).catch((error: unknown) => {
    throw isPortTaken(error) ? new UsageError(error.message) : error
  })
  try {
    await serveUntil(service, config, stopped)
  } finally {
    await service.close()
  }
  return 0
}

/** Serves until a signal, or until another process cancels the run `serve-<port>`, which shows the address. */
async function serveUntil({ url }: Service, config: Config, stopped: Promise<void>): Promise<void> {
  const runs = await openHomeRuns(config)
  try {
    const { ended } = await showPresence(runs, `serve-${new URL(url).port}`, { url }).catch((error: unknown) => {
      // A process that was stopped for long had the port before, or the home is that of another machine too.
      if (!(error instanceof AlreadyRunning)) throw error
      return { ended: new Promise<void>(() => undefined) }
    })
    process.stdout.write(`serving ${url}/v1\n`)
    await Promise.race([stopped, ended])
  } finally {
    await runs.close()
  }
}

/** The configured address. A port of the command line replaces the configured port. */
export const listenOn = (port: number | undefined, { listen }: Config): Config['listen'] =>
  port === undefined ? listen : { ...listen, port }

/** Whether another process listens on the port. */
export const isPortTaken = (error: unknown): error is Error =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'EADDRINUSE'
