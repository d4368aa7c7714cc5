import { machineClock } from '#lake/clock.ts'

import { openHouse } from './house.ts'
import { follow } from './follow.ts'
import { readListen } from './serve.ts'
import { openService, untilStopped } from './service.ts'
import { readArgs, readInstant, textOf, type Command } from './usage.ts'
import { refuseForeignWorld } from './world.ts'

const day = 86_400_000_000

/** `tapeline start`: follows the venues, rebuilds the marts and serves them, all in this process. */
export const start: Command = {
  usage: 'start [--port N] [--from X]',
  doc: 'Follow, score and serve in one process; markets that lived in the last 30 days, or since X.',
  run: async (args, config) => {
    const { values } = readArgs(args, { port: { type: 'string' }, from: { type: 'string' } })
    const from = textOf(values['from'])
    const since = from === undefined ? machineClock() - 30 * day : readInstant('from', from)
    const listen = readListen(values['port'], config)
    const stop = new AbortController()
    const house = await openHouse(config, { signal: stop.signal })
    await refuseForeignWorld(house.lake, config.hosts.polymarket_gamma)
    const service = await openService({ ...config, listen })
    process.stdout.write(`serving ${service.url}/v1\n`)
    const following = follow(house, service, {
      from: since,
      to: machineClock,
      signal: stop.signal,
      pause_ms: 15_000,
    })
    await untilStopped()
    stop.abort()
    await following
    await service.close()
    await house.close()
    return 0
  },
}
