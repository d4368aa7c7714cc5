// A worker as a process of its own, so that tests can kill it at any moment. Its world stands still.
import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'

import { openWorking } from './engines.ts'

const [home, address, world, at] = process.argv.slice(2)
if (home === undefined || address === undefined || world === undefined || at === undefined) {
  throw new Error('usage: worker <home> <address of Temporal> <the world as JSON> <its time>')
}
const upstream = JSON.parse(world) as SimulatedWorld
await openWorking({ home, upstream, clock: () => Number(at), address })
process.stdout.write('begun\n')
