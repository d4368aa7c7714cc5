import { machineClock } from '#lake/clock.ts'

import { endWith, openEngine } from './engine.ts'
import { openHouse } from './house.ts'
import { startFollowing, stopFollowing } from './lanes.ts'
import { tellRuns } from './runs.ts'
import { untilStopped } from './service.ts'
import { readArgs, readInstant, textOf, UsageError, type Command } from './usage.ts'
import { refuseForeignWorld } from './world.ts'

const day = 86_400_000_000

/** `tapeline follow`: reads what happens as it happens, and rebuilds the marts. */
export const follow: Command = {
  usage: 'follow [--from X] [--stop]',
  doc: 'Follow the venues and score; markets that lived in the last 30 days, or since X. --stop: on a Temporal server, end it.',
  run: async (args, config) => {
    const { values } = readArgs(args, { from: { type: 'string' }, stop: { type: 'boolean' } })
    const from = textOf(values['from'])
    if (values['stop'] === true) {
      if (config.temporal === undefined)
        throw new UsageError('--stop needs TEMPORAL_ADDRESS; without it ^C ends a follow')
      return stop(config)
    }
    const since = from === undefined ? machineClock() - 30 * day : readInstant('from', from)
    const ending = new AbortController()
    const house = await openHouse(config, { signal: ending.signal })
    try {
      await refuseForeignWorld(house.lake, config.hosts.polymarket_gamma)
      const engine = await openEngine(config, house)
      const runs = await startFollowing(engine, since)
      if (from !== undefined && runs.some(({ isOld }) => isOld)) {
        process.stderr.write('it is followed already, and goes on as it was begun: --from changes nothing\n')
      }
      if (config.temporal !== undefined) {
        process.stderr.write(
          'following on the server: ^C ends this view of it, `tapeline follow --stop` the following\n',
        )
      }
      const stopTelling = tellRuns(engine)
      await untilStopped()
      await stopTelling()
      await endWith(ending, engine)()
      return 0
    } finally {
      await house.close()
    }
  },
}

async function stop(config: Parameters<Command['run']>[1]): Promise<number> {
  const engine = await openEngine(config)
  try {
    const ended = await stopFollowing(engine)
    process.stdout.write(ended.length === 0 ? 'nothing was followed\n' : `ended ${ended.join(', ')}\n`)
    return 0
  } finally {
    await engine.close()
  }
}
