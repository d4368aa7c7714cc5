import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'

import { z } from 'zod'

import { openLake } from '#lake/lake.ts'

import { startLocalChain, type LocalChain } from './ingest/local_chain.ts'

/**
 * Swaps of a local chain with trader, exact time and fee: `npm run bench -- ingest [--blocks n] [--rounds n]`. Whole
 * processes of `tapeline backfill evm_swaps` and of a bare loop that makes the same requests, in turns. `ratio
 * trades-ceiling` is the loop's CPU seconds by those of the backfill, which other processes of the machine change little.
 */
const { values } = parseArgs({
  options: { blocks: { type: 'string', default: '2500' }, rounds: { type: 'string', default: '3' } },
})

type Run = { cpu_s: number; wall_s: number; n_swaps: number; sum: string }
const shape = z.object({ n_swaps: z.coerce.number(), sum: z.string() })

/** Runs a command to its end. Returns its output, and its seconds as bash measures them. */
async function timed(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ text: string; cpu_s: number; wall_s: number }> {
  const script = 'TIMEFORMAT="timed %U %S %R"; time "$@"'
  const options = { env: { ...process.env, ...env }, maxBuffer: 1e8 }
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script, 'bash', ...command], options)
  const [, user, system, wall] = /timed ([\d.]+) ([\d.]+) ([\d.]+)/.exec(stderr) ?? []
  return { text: stdout, cpu_s: Number(user) + Number(system), wall_s: Number(wall) }
}

async function inFolder(work: (folder: string) => Promise<Run>): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const backfill = ({ url }: LocalChain): Promise<Run> =>
  inFolder(async (home) => {
    const env = { TAPELINE_HOME: home, RPC_ETHEREUM: url, TAPELINE_WORLD: 'bench' }
    const args = ['bin/tapeline.js', 'backfill', 'evm_swaps', '--from', '2000-01-01', '--to', '2100-01-01']
    const { cpu_s, wall_s } = await timed([process.execPath, ...args], env)
    const lake = await openLake(home, { threads: 1, memory: '1GB' })
    const [stored] = await lake.read(({ query }) =>
      query('select count(*) as n_swaps, sum(amount0)::varchar as sum from lake.swaps', shape),
    )
    await lake.close()
    if (stored === undefined) throw new Error('swaps: no row; expected their number')
    return { cpu_s, wall_s, ...stored }
  })

const bareLoop = ({ url, n_blocks }: LocalChain): Promise<Run> =>
  inFolder(async (folder) => {
    const args = ['--import', 'tsx', 'bench/ingest/bare_loop.ts', url, folder, String(n_blocks)]
    const { text, ...took } = await timed([process.execPath, ...args], {})
    return { ...took, ...shape.parse(JSON.parse(text)) }
  })

const median = (runs: readonly Run[], of: 'cpu_s' | 'wall_s'): number =>
  runs.map((run) => run[of]).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)] ?? Number.NaN

const chain = await startLocalChain(Number(values.blocks))
try {
  const [ours, bare]: [Run[], Run[]] = [[], []]
  for (let round = 0; round < Number(values.rounds); round++) {
    bare.push(await bareLoop(chain))
    ours.push(await backfill(chain))
  }
  const sums = new Set([...ours, ...bare].map(({ n_swaps, sum }) => `${n_swaps} ${sum}`))
  if (sums.size !== 1) throw new Error(`swaps: ${[...sums].join(' and ')}; expected equal rows of both`)
  for (const [name, runs] of [
    ['backfill', ours],
    ['bare loop', bare],
  ] as const) {
    const [cpu_s, wall_s] = [median(runs, 'cpu_s'), median(runs, 'wall_s')]
    const rate = Math.round(chain.n_swaps / wall_s)
    console.log(`${name}: ${chain.n_swaps} swaps, ${cpu_s.toFixed(1)} CPU s, ${wall_s.toFixed(1)} s, ${rate} swaps/s`)
  }
  console.log(`ratio trades-ceiling ${(median(bare, 'cpu_s') / median(ours, 'cpu_s')).toFixed(2)}`)
} finally {
  await chain.close()
}
