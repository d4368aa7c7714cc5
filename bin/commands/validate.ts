import { writeFile } from 'node:fs/promises'

import { readArgs, readInstant, textOf, UsageError, type Command } from '#bin/args.ts'
import { openLake } from '#lake/lake.ts'
import { loadScoring } from '#scoring/index.ts'
import { machineClock, type Micros } from '#time.ts'
import { gather, isoOf, readUntil } from '#validation/gather.ts'
import { pictureOf } from '#validation/picture.ts'
import { report } from '#validation/report.ts'
import { tableOf } from '#validation/table.ts'

const flags = {
  at: { type: 'string' },
  horizon: { type: 'string' },
  json: { type: 'boolean' },
  picture: { type: 'string' },
} as const

/** `tapeline validate`: whether ranks as of an instant told anything about results after it. Publishes nothing. */
export const validate: Command = {
  usage: 'validate --at T --horizon H [--json] [--picture FILE.svg]',
  doc: 'Compare ranks as of T with results over the H (such as 30d) after it.',
  run: async (args, config) => {
    const { values } = readArgs(args, flags)
    const at = readInstant('at', required('at', textOf(values['at'])))
    const until = at + readHorizon(required('horizon', textOf(values['horizon'])))
    const { home, threads, memory } = config
    const lake = await openLake(home, { threads, memory })
    try {
      const reached = await readUntil(lake)
      if (reached === undefined) throw new Error('this lake holds no fills, so that nobody is ranked')
      if (until > reached) throw new Error(beyond(at, until, reached))
      const settings = { models: await loadScoring(), threads, memory, now: machineClock }
      const found = report(await gather(lake, { at, until }, settings))
      const picture = textOf(values['picture'])
      if (picture !== undefined) await writeFile(picture, pictureOf(found))
      process.stdout.write(values['json'] === true ? `${JSON.stringify(found, null, 2)}\n` : tableOf(found))
      return 0
    } finally {
      lake.close()
    }
  },
}

function required(option: string, text: string | undefined): string {
  if (text === undefined)
    throw new UsageError(
      `--${option} is missing: validate compares ranks --at T with what came of them within --horizon H`,
    )
  return text
}

/** `30d` or `36h`, from an hour up. */
function readHorizon(text: string): Micros {
  const [, digits = '', unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? []
  if (unit === undefined) throw new UsageError(`--horizon ${text}: expected days or hours such as 30d or 36h`)
  return Number(digits) * (unit === 'd' ? 24 : 1) * 3_600_000_000
}

const beyond = (at: Micros, until: Micros, reached: Micros): string => {
  const days = Math.floor((reached - at) / 86_400_000_000)
  const most = days < 1 ? 'choose an earlier --at' : `--horizon ${days}d is the longest in whole days`
  return `the results until ${isoOf(until)} are not known: fills were read until ${isoOf(reached)}; ${most}`
}
