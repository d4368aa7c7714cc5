import { writeFile } from 'node:fs/promises'

import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, UsageError } from '#bin/command_line/values.ts'
import { asJson } from '#bin/report/progress.ts'
import { openLake } from '#lake/lake.ts'
import { loadScoring } from '#scoring/index.ts'
import { machineClock, type Micros } from '#time.ts'
import { gather, isoOf, readUntil } from '#validation/gather.ts'
import { pictureOf } from '#validation/picture.ts'
import { report } from '#validation/report.ts'
import { tableOf } from '#validation/table.ts'

/** `tapeline validate`: compares ranks as of an instant with the results after it. It publishes nothing. */
export const validate = defineCommand({
  reads: 'home',
  summary: 'Compare ranks as of an instant with the results after it.',
  define: (command) =>
    command
      .requiredOption('--at <instant>', 'The instant of the ranks.', instantOf('--at'))
      .requiredOption('--horizon <span>', 'The span of the results, such as 30d or 36h.', horizonOf)
      .option('--json', 'Write JSON.')
      .option('--picture <file>', 'Also write a picture, as SVG.'),
  run: async ({ at, horizon, json = false, picture }, config) => {
    const until = at + horizon
    const { home, threads, memory, database, storage } = config
    const lake = await openLake(home, { threads, memory }, database, storage)
    try {
      const reached = await readUntil(lake)
      if (reached === undefined) throw new Error('lake: no fills; expected a backfill before the ranks')
      if (until > reached) throw new Error(beyond(at, until, reached))
      const settings = { models: await loadScoring(), threads, memory, now: machineClock }
      const result = report(await gather(lake, { at, until }, settings))
      if (picture !== undefined) await writeFile(picture, pictureOf(result))
      process.stdout.write(json ? asJson(result) : tableOf(result))
      return 0
    } finally {
      await lake.close()
    }
  },
})

/** `30d` or `36h`, from an hour up. */
function horizonOf(text: string): Micros {
  const [, digits = '', unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? []
  if (unit === undefined)
    throw new UsageError(`--horizon ${text}: not a span; expected days or hours such as 30d or 36h`)
  return Number(digits) * (unit === 'd' ? 24 : 1) * 3_600_000_000
}

const beyond = (at: Micros, until: Micros, reached: Micros): string => {
  const days = Math.floor((reached - at) / 86_400_000_000)
  const most = days < 1 ? 'an earlier --at' : `at most --horizon ${days}d`
  return `results until ${isoOf(until)}: not stored, fills reach ${isoOf(reached)}; expected ${most}`
}
