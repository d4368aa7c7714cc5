// A process of its own that reads a world into a lake, so that tests can kill it at any moment.
import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'

import { ingestAll, openTestPipeline } from './pipeline.ts'

const [home, upstream, at] = process.argv.slice(2)
if (home === undefined || upstream === undefined || at === undefined)
  throw new Error('usage: worker <home> <world as JSON> <at>')
const pipeline = await openTestPipeline(home, JSON.parse(upstream) as SimulatedWorld, () => Number(at))
await ingestAll(pipeline, Number(at))
