import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { publish } from '#builder/publish.ts'
import { openLake } from '#lake/lake.ts'
import { lakeTable } from '#lake/sql.ts'
import { loadScoring } from '#scoring/index.ts'
import { literal, openDuckDB, parquet, withConnection } from '#storage/duckdb.ts'
import { machineClock } from '#time.ts'

import { inOwnProcess, measureHere } from './fold/own_process.ts'
import { printSide, ratioOf, timed, type Measured, type Run } from './fold/timed.ts'
import { as_of } from './scores/rows.ts'
import { fillsHome } from './scores/world.ts'

/**
 * All scores of a lake of generated fills, from Parquet to the published marts, compared with DuckDB's plain sort of
 * the fills: `npm run bench -- scores [--fills 20000000] [--threads 2] [--memory 6GB] [--rounds 3]`. Each run is a
 * separate process. Seconds are those of the processor, which other work on the machine changes least. The last line is
 * `ratio sort`, the median of scores / sort over the rounds. The derived tables are then read and written once more,
 * which shows the share of storage in the scores.
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
  const { cpu_s } = await timed(() => copyTables(join(own, 'derived'), scratch))
  const tables = `its tables alone, read and written once, ${cpu_s.toFixed(1)} s of the processor`
  return { ...measured, note: `, ${n_rows.toLocaleString('en')} rows of marts; ${tables}` }
}

/** The least that a build of the same derived tables takes: each is written, and read by one other. */
async function copyTables(derived: string, scratch: string): Promise<void> {
  const instance = await openDuckDB({ ...limits, scratch })
  const files = (await readdir(derived, { recursive: true })).filter((file) => file.endsWith('.parquet'))
  await withConnection(instance, async (connection) => {
    for (const file of files) {
      const copy = literal(join(scratch, 'copy.parquet'))
      await connection.run(`copy (from read_parquet(${literal(join(derived, file))})) to ${copy} (${parquet})`)
    }
  })
  instance.closeSync()
}

if (values.side === undefined) await compare()
else {
  const home = await fillsHome(Number(values.fills), limits)
  await measureHere((scratch) => (values.side === 'sort' ? sort(home, scratch) : score(home, scratch)))
}
