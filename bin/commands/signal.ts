import { readArgs, readNumber, UsageError, type Command } from '#bin/args.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { pause, rate, resume } from '#workflows/control.ts'

const signals = ['pause', 'resume', 'cancel', 'rate=N', 'rate=any'].join(', ')

/** `tapeline signal`: sends a signal to a run, in any process of this home or on a Temporal server. */
export const signal: Command = {
  usage: 'signal <run> pause|resume|cancel|rate=N',
  doc: 'Send a signal to a run that `status` shows. rate: requests in 10 seconds to its upstream; rate=any lifts it.',
  run: async (args, config) => {
    const { positionals } = readArgs(args, {}, ['run', 'signal'])
    const [id = '', name = ''] = positionals
    const limit = /^rate=(.*)$/.exec(name)?.[1]
    if (limit === undefined && !['pause', 'resume', 'cancel'].includes(name)) {
      throw new UsageError(`${name}: unknown signal; expected one of ${signals}`)
    }
    const engine = await openEngine(config)
    try {
      const run = await engine.find(id)
      const [state] = (await engine.list()).filter((listed) => listed.id === id)
      if (name !== 'cancel' && state?.progress === null) {
        throw new Error(`${id}: supports only \`cancel\`, or its worker is not responding`)
      }
      if (name === 'cancel') await run.cancel()
      else if (name === 'pause') await run.signal(pause)
      else if (name === 'resume') await run.signal(resume)
      else await run.signal(rate, limit === 'any' ? null : readNumber('rate', limit ?? '', { least: 1, most: 100_000 }))
      process.stdout.write(`${id}: ${name}\n`)
      return 0
    } finally {
      await engine.close()
    }
  },
}
