import { openService, untilStopped } from './service.ts'
import { readArgs, readNumber, textOf, type Command } from './usage.ts'

/** `tapeline serve`: answers requests from the snapshot that is published, and from newer ones as they come. */
export const serve: Command = {
  usage: 'serve [--port N]',
  doc: 'Serve the API from the published snapshot.',
  run: async (args, config) => {
    const { values } = readArgs(args, { port: { type: 'string' } })
    const port = textOf(values['port'])
    const listen = port === undefined ? config.listen : { ...config.listen, port: readNumber('port', port, ports) }
    const service = await openService({ ...config, listen })
    process.stdout.write(`serving ${service.url}/v1\n`)
    await untilStopped()
    await service.close()
    return 0
  },
}

/** Port 0 takes any free one. */
export const ports = { least: 0, most: 65_535 }
