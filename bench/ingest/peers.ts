import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import pg from 'pg'
import { z } from 'zod'

import { pool, type LocalChain } from './local_chain.ts'
import type { Side } from './sides.ts'
import { firstRequestIn, inFolder, timedFromFirstRequest, type Run } from './timed_process.ts'

/**
 * Two other indexers, which read the same logs into PostgreSQL. `folder` has their projects, `subsquid` and `ponder`,
 * each with its `node_modules`. Their own files are copied and get the address of the chain and of the database.
 */
export const peersOf = (folder: string, newDatabase: () => Promise<string>): Readonly<Record<string, Side>> => ({
  subsquid: (chain) => subsquid(folder, chain, newDatabase),
  ponder: (chain) => ponder(folder, chain, newDatabase, 1),
  // With many addresses of the same node its limiter of requests, one for each, never waits.
  'ponder-unthrottled': (chain) => ponder(folder, chain, newDatabase, 64),
})

/** The reason why the peers cannot run; undefined if they can. */
export function missingPeers(folder: string | undefined): string | undefined {
  if (folder === undefined) return 'no folder is given; `--peers <folder>` compares with them'
  const missing = ['subsquid', 'ponder'].find((name) => !existsSync(join(folder, name, 'node_modules')))
  return missing === undefined ? undefined : `${join(folder, missing)}: not installed; expected node_modules`
}

/** Copies a text with replacements, each of which must occur. */
async function adapt(from: string, to: string, replacements: Readonly<Record<string, string>>): Promise<void> {
  let text = await readFile(from, 'utf8')
  for (const [before, after] of Object.entries(replacements)) {
    if (!text.includes(before)) throw new Error(`${from}: no ${before}; expected the file of the peers' folder`)
    text = text.replaceAll(before, after)
  }
  await writeFile(to, text)
}

const subsquid = (folder: string, chain: LocalChain, newDatabase: () => Promise<string>): Promise<Run> =>
  inFolder(async (home) => {
    const [own, database] = [join(home, 'subsquid'), await newDatabase()]
    await mkdir(own)
    await symlink(join(folder, 'subsquid', 'node_modules'), join(own, 'node_modules'))
    const target = { to: pool, block: chain.n_blocks, events: chain.n_swaps }
    await writeFile(join(home, 'target.json'), JSON.stringify(target))
    const urls = {
      'http://127.0.0.1:8545': chain.url,
      'postgres://postgres@127.0.0.1:55432/ponder': database,
    }
    await adapt(join(folder, 'subsquid', 'sqd2.mjs'), join(own, 'sqd2.mjs'), urls)
    const took = await timedFromFirstRequest([process.execPath, 'sqd2.mjs', 'pg'], { cwd: own })
    return { ...took, ...(await swapsOf(database, 'sqd_swap')) }
  })

const ponder = (folder: string, chain: LocalChain, newDatabase: () => Promise<string>, n_urls: number): Promise<Run> =>
  inFolder(async (own) => {
    const [project, database] = [join(folder, 'ponder'), await newDatabase()]
    for (const name of ['package.json', 'abi.ts', 'ponder.schema.ts', 'src'])
      await cp(join(project, name), join(own, name), { recursive: true })
    await symlink(join(project, 'node_modules'), join(own, 'node_modules'))
    await adapt(join(project, 'ponder.config.ts'), join(own, 'ponder.config.ts'), {
      'http://127.0.0.1:8545': chain.url,
      'id: 31337': 'id: 1',
      '0x5fbdb2315678afecb367f032d93f642f64180aa3': pool,
    })
    const first = firstRequestIn(own)
    const port = 42_000 + (process.pid % 1_000)
    const program = 'node_modules/ponder/dist/esm/bin/ponder.js'
    const args = [program, 'start', '--port', String(port), '--schema', 'peer', '--log-level', 'error']
    const env = { DATABASE_URL: database, RPCN: String(n_urls), PONDER_TELEMETRY_DISABLED: 'true', ...first.env }
    const child = spawn(process.execPath, args, { cwd: own, env: { ...process.env, ...env }, stdio: 'ignore' })
    const ended = once(child, 'exit')
    try {
      while (!(await isReady(port))) {
        if (child.exitCode !== null) throw new Error(`ponder: exit code ${child.exitCode}; expected a whole index`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const [end_ms, begun] = [Date.now(), await first.read()]
      const wall_s = (end_ms - begun.at_ms) / 1000
      return { cpu_s: (await cpuOf(child.pid ?? 0)) - begun.cpu_s, wall_s, ...(await swapsOf(database, 'peer.swap')) }
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  })

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/ready`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** The seconds of the processor of a running process. Linux counts them in hundredths. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const shape = z.object({ n_swaps: z.coerce.number(), sum: z.string() })

async function swapsOf(database: string, table: string): Promise<z.output<typeof shape>> {
  const client = new pg.Client(database)
  await client.connect()
  try {
    const { rows } = await client.query(`select count(*) as n_swaps, sum(amount0)::text as sum from ${table}`)
    return shape.parse(rows[0])
  } finally {
    await client.end()
  }
}
