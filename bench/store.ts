import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'

import { openLake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'

/**
 * CPU seconds of storing 400 units of 40 rows: `npm run bench -- store [--against <checkout>]`. `ratio store` compares
 * them with the same work in another checkout of the repository, such as a former commit, in turns.
 */
const { values } = parseArgs({ options: { against: { type: 'string' }, once: { type: 'boolean', default: false } } })
const [n_units, n_rows, n_warm] = [400, 40, 20]

/** Stores the units in a new lake. Returns the CPU seconds. */
async function store(): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
  const lake = await openLake(home, { threads: 1, memory: '512MB' })
  const quote = { period_s: 0, venue: 'venue', ask: null, last: null, size: null, volume_24h_usd: null, size_24h: null }
  const quotes = Array.from({ length: n_rows }, (_, n) => ({ ...quote, market_id: `m${n}`, ts: 1e15 + n, bid: 5n }))
  const storeOne = (n: number) =>
    storeUnit(
      lake,
      { source: 'bench', kind: 'blocks', part: `part${n % 10}`, key: '', from: n * 100, to: n * 100 + 100, params: [] },
      {
        rows: { quotes },
        rejected: [],
        precedence: 1,
        state: 'done',
        to: n * 100 + 100,
        asked: ['host'],
        checkedAt: 7,
      },
    )
  for (let n = 0; n < n_warm; n += 1) await storeOne(n)
  const before = process.cpuUsage()
  for (let n = n_warm; n < n_warm + n_units; n += 1) await storeOne(n)
  const { user, system } = process.cpuUsage(before)
  await lake.close()
  await rm(home, { recursive: true, force: true })
  return (user + system) / 1e6
}

/** Stores the units in a process of a checkout, which gets a copy of this file meanwhile. */
async function storeIn(checkout: string): Promise<number> {
  const copy = join(checkout, 'bench', `copy_of_${basename(import.meta.filename)}`)
  await copyFile(import.meta.filename, copy)
  try {
    const run = promisify(execFile)(process.execPath, [...process.execArgv, copy, '--once'], { cwd: checkout })
    return Number((await run).stdout)
  } finally {
    await rm(copy)
  }
}

if (values.once) console.log(await store())
else {
  const here = resolve(import.meta.dirname, '..')
  const checkouts = [here, ...(values.against === undefined ? [] : [resolve(values.against)])]
  const took = new Map(checkouts.map((checkout): [string, number[]] => [checkout, []]))
  for (let run = 0; run < 5; run += 1)
    for (const checkout of checkouts) took.get(checkout)?.push(await storeIn(checkout))
  const median = (checkout: string): number => took.get(checkout)?.toSorted((a, b) => a - b)[2] ?? Number.NaN
  for (const checkout of checkouts)
    console.log(`${n_units} units of ${n_rows} rows: ${median(checkout).toFixed(2)} CPU s in ${checkout}`)
  for (const other of checkouts.slice(1)) console.log(`ratio store ${(median(here) / median(other)).toFixed(2)}`)
}
