import { defineCommand } from '#bin/command_line/command.ts'
import { numberOf, UsageError } from '#bin/command_line/values.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { pause, rate, resume } from '#workflows/control.ts'

const limitOf = numberOf('rate', { least: 1, most: 100_000 })

/** `tapeline signal`: sends a signal to a run, in any process of this home or on a Temporal server. */
export const signal = defineCommand({
  summary: 'Send a signal to a run that `tapeline status` shows.',
  define: (command) =>
    command
      .argument('<run>', 'The name of the run.')
      .addArgument(
        command
          .createArgument('<signal>', 'rate=N limits the requests in 10 seconds, rate=any lifts the limit.')
          .choices(['pause', 'resume', 'cancel', 'rate=N', 'rate=any'])
          .argParser(signalOf),
      ),
  run: async (_options, config, [id, sentSignal]) => {
    const engine = await openEngine(config)
    try {
      const run = await engine.find(id)
      const state = (await engine.list()).find((listed) => listed.id === id)
      if (sentSignal.name !== 'cancel' && state?.progress === null) {
        throw new Error(`${id}: accepts only cancel, or its worker does not respond; expected cancel or a later retry`)
      }
      if (sentSignal.name === 'cancel') await run.cancel()
      else if (sentSignal.name === 'rate') await run.signal(rate, sentSignal.limit)
      else await run.signal(sentSignal.name === 'pause' ? pause : resume)
      process.stdout.write(`${id}: ${sentSignal.text}\n`)
      return 0
    } finally {
      await engine.close()
    }
  },
})

type Signal = { text: string } & ({ name: 'pause' | 'resume' | 'cancel' } | { name: 'rate'; limit: number | null })

function signalOf(text: string): Signal {
  if (text === 'pause' || text === 'resume' || text === 'cancel') return { text, name: text }
  const limit = /^rate=(.*)$/.exec(text)?.[1]
  if (limit === undefined) {
    throw new UsageError(`signal ${text}: unknown; expected pause, resume, cancel, rate=N or rate=any`)
  }
  return { text, name: 'rate', limit: limit === 'any' ? null : limitOf(limit) }
}
