import { detachedContext } from '#ingest/heartbeat.ts'
import { openLake } from '#lake/lake.ts'

import { followJetstream } from './jetstream_run.ts'

/** Follows the simulated network into a home until it is killed: `worker.ts <home> <url> <now>`. */
const [home = '', url = '', now = ''] = process.argv.slice(2)
const lake = await openLake(home, { threads: 1, memory: '512MB' })
process.stdout.write('begun\n')
await followJetstream(lake, { url, now: Number(now), context: detachedContext })
