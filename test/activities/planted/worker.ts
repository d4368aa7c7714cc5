// A process of its own that reads planted chains into a lake, so that tests can kill it at any moment.
import { openLake } from '#lake/lake.ts'

import { chainActivities, runBackfill } from './rpc_pipeline.ts'

const [home, url, n_chains, at] = process.argv.slice(2)
if (home === undefined || url === undefined) throw new Error('usage: worker <home> <url> <chains> <at>')
const lake = await openLake(home, { threads: 1, memory: '512MB' })
const activities = chainActivities(lake, { url, n_chains: Number(n_chains), clock: () => Number(at) })
process.stdout.write('begun\n')
await runBackfill(activities, Number(at))
process.stdout.write('done\n')
