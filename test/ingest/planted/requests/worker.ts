// A process of its own that backfills the planted sources, so that a test can kill it at any moment.
import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'

import { ingestPlanted, openPlanted } from './open_planted.ts'

const [home, world, to] = process.argv.slice(2)
if (home === undefined || world === undefined || to === undefined) {
  throw new Error('usage: worker <home> <world as JSON> <to>')
}
const planted = await openPlanted({
  home,
  world: JSON.parse(world) as SimulatedWorld,
  clock: () => Number(to),
  key: process.env['PLANTED_KEY'],
})
try {
  for (const { failures } of await ingestPlanted(planted, Number(to))) process.stdout.write(JSON.stringify(failures))
  process.stderr.write(`requests ${planted.pipeline.counts.requests}\n`)
} finally {
  await planted.close()
}
