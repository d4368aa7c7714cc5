import { z } from 'zod'

import { openLake } from '#lake/lake.ts'

import type { LocalChain } from './local_chain.ts'
import { inFolder, timedFromFirstRequest, type Run } from './timed_process.ts'

/** Reads the chain in a process of its own, whose seconds count from its first request. */
export type Side = (chain: LocalChain) => Promise<Run>

const stored = z.object({ n_swaps: z.coerce.number(), sum: z.string() })

/** The swaps of a lake. */
async function swapsOf(home: string): Promise<z.output<typeof stored>> {
  const lake = await openLake(home, { threads: 1, memory: '1GB' })
  const select = 'select count(*) as n_swaps, sum(amount0)::varchar as sum from lake.swaps'
  const [row] = await lake.read(({ query }) => query(select, stored))
  await lake.close()
  if (row === undefined) throw new Error('swaps: no row; expected their number')
  return row
}

/** A script of this folder, which prints the rows that it wrote unless they are in a lake. */
const script =
  (name: string, isLake: boolean): Side =>
  ({ url, n_blocks }) =>
    inFolder(async (folder) => {
      const args = ['--import', 'tsx', `bench/ingest/${name}.ts`, url, folder, String(n_blocks)]
      const { text, ...took } = await timedFromFirstRequest([process.execPath, ...args])
      return { ...took, ...(isLake ? await swapsOf(folder) : stored.parse(JSON.parse(text))) }
    })

/** Logs to Parquet, by a bare loop and by the parts of the source. */
export const bareEvents = script('bare_events', false)
export const storedEvents = script('stored_events', true)

/** Trades with trader, exact time and fee, by a bare loop of the same requests and by the command. */
export const bareLoop = script('bare_loop', false)
export const backfill: Side = ({ url }) =>
  inFolder(async (home) => {
    const env = { TAPELINE_HOME: home, RPC_ETHEREUM: url, TAPELINE_WORLD: 'bench' }
    const args = ['bin/tapeline.js', 'backfill', 'evm_swaps', '--from', '2000-01-01', '--to', '2100-01-01']
    const { cpu_s, wall_s } = await timedFromFirstRequest([process.execPath, ...args], { env })
    return { cpu_s, wall_s, ...(await swapsOf(home)) }
  })
