// A process of its own that publishes one pulse after the other, so that tests can kill it at any moment.
import { openLake } from '#lake/lake.ts'
import { publishPulse } from '#lake/publish.ts'

import { noon } from './fixture.ts'
import { models } from './marts.ts'

const [home, ahead_s] = process.argv.slice(2)
if (home === undefined || ahead_s === undefined)
  throw new Error('usage: pulser <home> <seconds that its clock is ahead>')
const lake = await openLake(home, { threads: 1, memory: '512MB' })
const now = (): number => (Date.now() + Number(ahead_s) * 1_000) * 1_000
for (;;) {
  const { id } = await publishPulse(lake, { models, asOf: noon, threads: 1, memory: '512MB', now })
  process.stdout.write(`${id}\n`)
}
