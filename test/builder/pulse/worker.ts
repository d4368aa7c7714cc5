// A process of its own that publishes one pulse after the other, so that tests can kill it at any moment.
import { setTimeout as sleep } from 'node:timers/promises'

import { publish } from '#builder/publish.ts'
import { LeaseHeld } from '#lake/catalog/lease.ts'
import { openLake } from '#lake/lake.ts'
import { models } from '#test/builder/fixture.ts'
import { noon } from '#test/lake/fixture.ts'

const [home, ahead_s] = process.argv.slice(2)
if (home === undefined || ahead_s === undefined)
  throw new Error('usage: worker <home> <seconds that its clock is ahead>')
const lake = await openLake(home, { threads: 1, memory: '512MB' })
const now = (): number => (Date.now() + Number(ahead_s) * 1_000) * 1_000
for (;;) {
  try {
    const { id } = await publish(lake, 'pulse', {
      models,
      macros: [],
      columns: {},
      asOf: noon,
      threads: 1,
      memory: '512MB',
      now,
    })
    process.stdout.write(`${id}\n`)
  } catch (error) {
    // The lease of a killed process is waited for.
    if (!(error instanceof LeaseHeld)) throw error
    await sleep(100)
  }
}
