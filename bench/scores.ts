import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { openLake } from '#lake/lake.ts'
import { lakeTable } from '#lake/sql.ts'
import { publish } from '#models/publish.ts'
import { loadScoring } from '#scoring/index.ts'
import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'
import { machineClock } from '#time.ts'

import { inOwnProcess, measureHere } from './fold/own_process.ts'
import { printSide, ratioOf, timed, type Measured, type Run } from './fold/timed.ts'
import { as_of } from './scores/rows.ts'
import { fillsHome } from './scores/world.ts'

/**
 * All scores of a lake of generated fills, from Parquet to the published marts, compared with DuckDB's plain sort of
 * the fills: `npm run bench -- scores [--fills 20000000] [--threads 2] [--memory 6GB] [--rounds 3]`. Each run is a
 * separate process. Seconds are those of the processor, which other work on the machine changes least. The last line is
 * `ratio sort`, the median of scores / sort over the rounds.
 */
const { values } = parseArgs({
  options: {
    fills: { type: 'string', default: '20000000' },
    threads: { type: 'string', default: '2' },
    memory: { type: 'string', default: '6GB' },
    rounds: { type: 'string', default: '3' },
    side: { type: 'string' },
  },
})
const limits = { threads: Number(values.threads), memory: values.memory }

/** Runs both sides alternately and prints their time and memory. */
async function compare(): Promise<void> {
  const n = Number(values.fills)
  console.log(`${n.toLocaleString('en')} fills, ${limits.threads} threads, memory limit ${limits.memory}`)
  await fillsHome(n, limits)
  const sorts: Run[] = []
  const scores: Run[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    sorts.push(await inOwnProcess<Measured>(import.meta.url, 'sort'))
    scores.push(await inOwnProcess<Measured>(import.meta.url, 'scores'))
  }
  printSide('sort', sorts)
  printSide('scores', scores)
  console.log(`ratio sort ${ratioOf(scores, sorts).toFixed(2)}`)
}

/** DuckDB's own sort of the fills, into a table. */
async function sort(home: string, scratch: string): Promise<Measured> {
  const instance = await openDuckDB({ ...limits, scratch })
  const files = join(home, lakeTable('fills').root, 'world/polymarket/fills-*.parquet')
  const select = `select * from read_parquet(${literal(files)}) order by trader, market_id, token_id, ts, tx, seq`
  return withConnection(instance, async (connection) => ({
    ...(await timed(() => connection.run(`create table s as ${select}`))),
    note: '',
  }))
}

/** A publication of the scores, as `tapeline start` makes it. */
async function score(home: string, scratch: string): Promise<Measured> {
  const own = join(scratch, 'home')
  await cp(home, own, { recursive: true })
  const lake = await openLake(own, { threads: 1, memory: '100MB' })
  const settings = { models: await loadScoring(), macros: [], columns: {}, asOf: as_of, ...limits, now: machineClock }
  let n_rows = 0
  const measured = await timed(async () => {
    const { tables } = await publish(lake, 'scores', settings)
    n_rows = tables.reduce((sum, table) => sum + table.n_rows, 0)
  })
  await lake.close()
  return { ...measured, note: `, ${n_rows.toLocaleString('en')} rows of marts` }
}

if (values.side === undefined) await compare()
else {
  const home = await fillsHome(Number(values.fills), limits)
  await measureHere((scratch) => (values.side === 'sort' ? sort(home, scratch) : score(home, scratch)))
}
