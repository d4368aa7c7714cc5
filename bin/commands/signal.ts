import { readArgs, readNumber, UsageError, type Command } from '#bin/args.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { pause, rate, resume } from '#workflows/control.ts'

const orders = ['pause', 'resume', 'cancel', 'rate=N', 'rate=any'].join(', ')

/** `tapeline signal`: steers what runs, in whatever process or on whatever machine. */
export const signal: Command = {
  usage: 'signal <run> pause|resume|cancel|rate=N',
  doc: 'Steer a run that `status` shows. rate: requests in 10 seconds to its upstream; rate=any lifts it.',
  run: async (args, config) => {
    const { positionals } = readArgs(args, {}, ['run', 'order'])
    const [id = '', order = ''] = positionals
    const limit = /^rate=(.*)$/.exec(order)?.[1]
    if (limit === undefined && !['pause', 'resume', 'cancel'].includes(order)) {
      throw new UsageError(`${order} is no order; there are ${orders}`)
    }
    const engine = await openEngine(config)
    try {
      const run = await engine.find(id)
      const [state] = (await engine.list()).filter((listed) => listed.id === id)
      if (order !== 'cancel' && state?.progress === null) {
        throw new Error(`${id} takes no order but cancel, or nobody answers for it now`)
      }
      if (order === 'cancel') await run.cancel()
      else if (order === 'pause') await run.signal(pause)
      else if (order === 'resume') await run.signal(resume)
      else await run.signal(rate, limit === 'any' ? null : readNumber('rate', limit ?? '', { least: 1, most: 100_000 }))
      process.stdout.write(`${id}: ${order}\n`)
      return 0
    } finally {
      await engine.close()
    }
  },
}
