import { parseArgs } from 'node:util'

import { startCountingProxy } from './ingest/counting_proxy.ts'
import { startLocalChain, sumOf, type LocalChain } from './ingest/local_chain.ts'
import { missingPeers, peersOf } from './ingest/peers.ts'
import { backfill, bareEvents, bareLoop, storedEvents, type Side } from './ingest/sides.ts'
import type { Run } from './ingest/timed_process.ts'

/**
 * Swaps of a local chain, in processes that run in turns and count from their first request: `npm run bench -- ingest [--blocks n] [--rounds n]
 * [--peers <folder>]`. The rows of each side are checked.
 *
 * - `ratio ceiling`: the swap events to Parquet, a bare loop by the parts of `evm_swaps` with the store of the lake.
 * - `ratio trades-ceiling`: trades with trader, exact time and fee, a bare loop of the same requests by `tapeline backfill
 *   evm_swaps`.
 * - `ratio subsquid`, `ponder` and `ponder-unthrottled`: the rate of swap events, ours by that of the indexer into
 *   PostgreSQL. They need `--peers`, the folder of their projects.
 *
 * Ceilings compare seconds of the processor, which other processes of the machine change little. Peers compare the
 * seconds that passed, since stock Ponder mostly waits.
 */
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '2500' },
    rounds: { type: 'string', default: '3' },
    peers: { type: 'string' },
  },
})

const median = (runs: readonly Run[] = [], of: (run: Run) => number): number =>
  runs.map(of).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)] ?? Number.NaN

/** Indexers leave out the newest blocks, which are not final for them. */
const mostOpenBlocks = 100

function assertRows(name: string, { n_swaps, sum }: Run, chain: LocalChain): void {
  const n_open = name in ours ? 0 : (mostOpenBlocks / chain.n_blocks) * chain.n_swaps
  const isWhole = n_swaps <= chain.n_swaps && n_swaps >= chain.n_swaps - n_open
  if (isWhole && sum === String(sumOf(n_swaps))) return
  throw new Error(`${name}: ${n_swaps} swaps of ${sum}; expected ${chain.n_swaps} of ${sumOf(n_swaps)}`)
}

const ours = {
  'bare events': bareEvents,
  events: storedEvents,
  'bare loop': bareLoop,
  backfill,
} satisfies Record<string, Side>

/** The peers with a database server of their own; none if they are missing. */
async function openPeers(): Promise<{ sides: Readonly<Record<string, Side>>; close: () => Promise<void> }> {
  const missing = missingPeers(values.peers)
  if (missing !== undefined) {
    console.log(`peers: ${missing}`)
    return { sides: {}, close: () => Promise.resolve() }
  }
  const { startPostgres } = await import('#test/lake/catalog/postgres.ts')
  const server = await startPostgres()
  return { sides: peersOf(values.peers ?? '', server.newDatabase), close: server.stop }
}

function print(name: string, runs: readonly Run[] | undefined): void {
  const [cpu_s, wall_s] = [median(runs, (run) => run.cpu_s), median(runs, (run) => run.wall_s)]
  const n_swaps = median(runs, (run) => run.n_swaps)
  const rate = Math.round(n_swaps / wall_s)
  console.log(`${name}: ${n_swaps} swaps, ${cpu_s.toFixed(1)} CPU s, ${wall_s.toFixed(1)} s, ${rate} swaps/s`)
}

/** The cost on a network: requests and bytes of one more run, which is not timed. */
async function printRequests(name: string, side: Side, chain: LocalChain): Promise<void> {
  const proxy = await startCountingProxy(chain.url)
  const { n_swaps } = await side({ ...chain, url: proxy.url })
  proxy.close()
  const [requests, bytes] = [proxy.counts.requests, proxy.counts.bytes].map((count) => (count / n_swaps) * 1_000)
  console.log(`${name}: ${requests?.toFixed(2)} requests and ${Math.round(bytes ?? 0)} bytes for 1,000 swaps`)
}

const chain = await startLocalChain(Number(values.blocks))
const peers = await openPeers()
try {
  const runs: Record<string, Run[]> = {}
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, side] of Object.entries({ ...ours, ...peers.sides })) {
      const run = await side(chain)
      assertRows(name, run, chain)
      runs[name] = [...(runs[name] ?? []), run]
    }
  }
  for (const [name, all] of Object.entries(runs)) print(name, all)
  for (const name of ['events', 'backfill'] as const) await printRequests(name, ours[name], chain)
  const cpu = (name: string): number => median(runs[name], (run) => run.cpu_s)
  console.log(`ratio ceiling ${(cpu('bare events') / cpu('events')).toFixed(2)}`)
  console.log(`ratio trades-ceiling ${(cpu('bare loop') / cpu('backfill')).toFixed(2)}`)
  const rate = (name: string): number => median(runs[name], (run) => run.n_swaps / run.wall_s)
  for (const name of Object.keys(peers.sides)) console.log(`ratio ${name} ${(rate('events') / rate(name)).toFixed(2)}`)
} finally {
  await peers.close()
  await chain.close()
}
