import { readArgs, readNumber, textOf, type Command } from '#bin/args.ts'
import { openService, untilStopped } from '#bin/wiring/service.ts'
import type { Config } from '#config.ts'

/** `tapeline serve`: answers requests from the snapshot that is published, and from newer ones as they come. */
export const serve: Command = {
  usage: 'serve [--port N]',
  doc: 'Serve the API from the published snapshot.',
  run: async (args, config) => {
    const { values } = readArgs(args, { port: { type: 'string' } })
    const service = await openService({ ...config, listen: readListen(values['port'], config) })
    process.stdout.write(`serving ${service.url}/v1\n`)
    await untilStopped()
    await service.close()
    return 0
  },
}

/** Where to listen: the configured address, on the port of the command line where it gives one; 0 takes any free one. */
export function readListen(value: string | boolean | undefined, { listen }: Config): Config['listen'] {
  const port = textOf(value)
  return port === undefined ? listen : { ...listen, port: readNumber('port', port, { least: 0, most: 65_535 }) }
}
