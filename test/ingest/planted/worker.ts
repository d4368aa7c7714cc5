// A process of its own that reads a planted source into a lake, so that tests can kill it at any moment.
import { detachedContext } from '#ingest/heartbeat.ts'
import { openLake } from '#lake/lake.ts'

import { plantedStream } from './planted_stream.ts'
import { chainActivities, runBackfill } from './rpc_pipeline.ts'
import { streamActivities } from './stream_pipeline.ts'

const [what, home, url, at, n_chains] = process.argv.slice(2)
if (home === undefined || url === undefined) throw new Error('usage: worker chains|stream <home> <url> <at> [<chains>]')
const lake = await openLake(home, { threads: 1, memory: '512MB' })
const now = Number(at)
process.stdout.write('begun\n')
if (what === 'chains') {
  await runBackfill(chainActivities(lake, { url, n_chains: Number(n_chains), clock: () => now }), now)
} else {
  const context = { ...detachedContext, heartbeat: (cursor: unknown) => process.stdout.write(JSON.stringify(cursor)) }
  await streamActivities(lake, { url, now, context }).stream({ source: plantedStream.name, part: 'feed' })
}
process.stdout.write('done\n')
