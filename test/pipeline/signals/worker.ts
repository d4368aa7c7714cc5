// A process of its own that publishes signals, grades and pulses minute by minute, so that tests can kill it at any
// moment.
import { once } from 'node:events'

import { publish } from '#builder/publish.ts'
import { openLake } from '#lake/lake.ts'
import { gradeSignals } from '#signals/grade_signals.ts'
import { publishSignals } from '#signals/publish_signals.ts'
import { noon } from '#test/lake/fixture.ts'
import { minute, pulseModels, settingsAt } from '#test/signals/planted_signals.ts'

const [home, ticks, late_s, last] = process.argv.slice(2)
if (home === undefined || ticks === undefined || late_s === undefined)
  throw new Error(
    'usage: worker <home> <ticks> <seconds after which leases of killed processes have expired> [<the last tick>]',
  )
const lake = await openLake(home, { threads: 1, memory: '512MB' })
const models = await pulseModels()
const now = (): number => (Date.now() + Number(late_s) * 1_000) * 1_000
for (let tick = 0; tick < Number(ticks); tick++) {
  process.stdout.write(`tick ${tick}\n`)
  const at = noon + tick * minute
  const settings = { ...settingsAt(models, at), now }
  await publishSignals(lake, settings, { secret: Buffer.alloc(32, 7), clock: () => at })
  await gradeSignals(lake, settings, () => at)
  await publish(lake, 'pulse', settings)
  // Its kill may come late on a busy machine.
  if (String(tick) === last) await once(process.stdin.resume(), 'end')
}
await lake.close()
