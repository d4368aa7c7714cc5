import { defineCommand } from '#bin/command_line/command.ts'
import { portOf } from '#bin/command_line/values.ts'
import { openService, untilStopped } from '#bin/wiring/service.ts'
import type { Config } from '#config.ts'

/** `tapeline serve`: serves the published snapshots, and replaces them by newer snapshots. */
export const serve = defineCommand({
  summary: 'Serve the API from the published snapshots.',
  define: (command) => command.option('--port <n>', 'Listen on this port; 0 takes any free one.', portOf),
  run: async ({ port }, config) => {
    const service = await openService({ ...config, listen: listenOn(port, config) })
    process.stdout.write(`serving ${service.url}/v1\n`)
    await untilStopped()
    await service.close()
    return 0
  },
})

/** The configured address. A port of the command line replaces the configured port. */
export const listenOn = (port: number | undefined, { listen }: Config): Config['listen'] =>
  port === undefined ? listen : { ...listen, port }
