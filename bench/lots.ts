import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import type { DuckDBConnection } from '@duckdb/node-api'

import { openLake } from '#lake/lake.ts'
import { parseModel } from '#models/load.ts'
import { materialize } from '#models/materialize.ts'
import { runFold } from '#models/run_fold.ts'
import { lotLedger } from '#scoring/core/lots/lot_ledger.ts'
import { literal, openDuckDB, parquet, withConnection } from '#storage/duckdb.ts'

import { inOwnProcess, measureHere, median, type InProcess } from './fold/own_process.ts'
import { stable, tradesFile } from './lots/trades.ts'

/**
 * First-in, first-out lots of generated trades, from Parquet to written lots, compared with DuckDB's plain sort of the
 * same file: `npm run bench -- lots [--trades 50000000] [--threads 2] [--memory 8GB] [--rounds 3]`. `sort` sorts the
 * file into a table, `copy` sorts it into a Parquet file, as lots are written. Each run is a separate process. Seconds
 * are those of the processor, which other work on the machine changes least. The last lines are `ratio copy` and
 * `ratio sort`, the medians of lots / copy and lots / sort over the rounds.
 */
const { values } = parseArgs({
  options: {
    trades: { type: 'string', default: '50000000' },
    threads: { type: 'string', default: '2' },
    memory: { type: 'string', default: '8GB' },
    rounds: { type: 'string', default: '3' },
    side: { type: 'string' },
  },
})
const limits = { threads: Number(values.threads), memory: values.memory }
type Measured = { cpu_s: number; took_s: number; note: string }
type Run = InProcess<Measured>

const order = 'wallet, chain, block, tx_index, tx, seq'
const sides = {
  sort: (file: string, home: string) =>
    alone(home, (from) => `create table s as select * from ${from} order by ${order}`, file),
  copy: (file: string, home: string) =>
    alone(
      home,
      (from) => `copy (select * from ${from} order by ${order}) to ${literal(join(home, 'sorted.parquet'))}
        (${parquet})`,
      file,
    ),
  lots: foldLots,
}
type Side = keyof typeof sides
const names = ['sort', 'copy', 'lots'] as const

/** Runs the sides alternately and prints their time and memory. */
async function compare(): Promise<void> {
  const n = Number(values.trades)
  console.log(`${n.toLocaleString('en')} trades, ${limits.threads} threads, memory limit ${limits.memory}`)
  await tradesFile(n, limits)
  const runs: Record<Side, Run[]> = { sort: [], copy: [], lots: [] }
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const side of names) runs[side].push(await inOwnProcess<Measured>(import.meta.url, side))
  }
  for (const side of names) print(side, n, runs[side])
  for (const side of ['copy', 'sort'] as const) {
    // The ratio of each round, since the sides of a round have the same load of the machine.
    const ratios = runs.lots.map(({ cpu_s }, round) => cpu_s / (runs[side][round]?.cpu_s ?? Number.NaN))
    console.log(`ratio ${side} ${median(ratios).toFixed(2)}`)
  }
}

function print(side: Side, n: number, runs: readonly Run[]): void {
  const cpu_s = median(runs.map((run) => run.cpu_s))
  const took_s = median(runs.map((run) => run.took_s))
  const peak_gb = Math.max(...runs.map((run) => run.peak_gb)).toFixed(1)
  const rate = Math.round(n / cpu_s).toLocaleString('en')
  const note = runs[0]?.note ?? ''
  console.log(
    `${side} ${cpu_s.toFixed(1)} s of the processor (${took_s.toFixed(1)} s), ${rate} trades/s, peak memory ${peak_gb} GB${note}`,
  )
}

async function measure(side: Side): Promise<void> {
  const file = await tradesFile(Number(values.trades), limits)
  await measureHere((folder) => sides[side](file, folder))
}

/** One statement of DuckDB over the file. */
async function alone(home: string, statement: (from: string) => string, file: string): Promise<Measured> {
  const instance = await openDuckDB({ ...limits, scratch: home })
  return withConnection(instance, async (connection) => ({
    ...(await timed(() => connection.run(statement(`read_parquet(${literal(file)})`)))),
    note: '',
  }))
}

/** The models of the ledger as in a build: wallets and tokens numbered, the events sorted and folded, the lots written. */
async function foldLots(file: string, home: string): Promise<Measured> {
  const lake = await openLake(home, { threads: 1, memory: '100MB' })
  const instance = await openDuckDB({ ...limits, scratch: home })
  return withConnection(instance, async (connection) => {
    await createInputs(connection, file)
    const write = async (name: string): Promise<void> => {
      const path = fileURLToPath(new URL(`../scoring/core/lots/${name}.sql`, import.meta.url))
      const model = parseModel('core', name, await readFile(path, 'utf8'))
      await materialize({ lake, connection, scratch: home, derived: 'derived' }, model)
    }
    const measured = await timed(async () => {
      for (const name of ['lot_wallets', 'lot_tokens']) await write(name)
      await runFold(instance, lotLedger)
      await write('lots')
    })
    const more = await timed(() => write('disposals'))
    const counts = await connection.runAndReadAll(
      'select (select count(*) from core.lots), (select count(*) from core.disposals)',
    )
    const [lots, disposals] = (counts.getRows()[0] ?? []).map((count) => Number(count).toLocaleString('en'))
    return { ...measured, note: `, ${lots} lots; then ${disposals} disposals in ${more.cpu_s.toFixed(1)} s` }
  })
}

/** The inputs of the ledger: the trades of the file, no transfers, and the kinds of the two monies. */
async function createInputs(connection: DuckDBConnection, file: string): Promise<void> {
  await connection.run(`
    create schema core;
    create view core.trades as
      select * replace (amount_sold::bignum as amount_sold, amount_bought::bignum as amount_bought)
      from read_parquet(${literal(file)});
    create table core.transfers (
      wallet varchar, chain varchar, block bigint, tx_index integer, tx varchar, seq integer, token varchar, ts timestamp,
      direction varchar, amount bignum, counterparty varchar, usd decimal(38, 6), basis varchar
    );
    create table core.owners (address varchar, owner varchar);
    create table core.tokens (chain varchar, token varchar, kind varchar);
    insert into core.tokens values ('ethereum', '${stable}', 'stable'), ('ethereum', 'native', 'native');
    create table core.prices (
      chain varchar, token varchar, ts timestamp, n_pools bigint, n_senders bigint, depth_usd decimal(38, 6), is_thin boolean
    )`)
}

async function timed(work: () => Promise<unknown>): Promise<{ cpu_s: number; took_s: number }> {
  const [before, start_ms] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpu_s: (user + system) / 1e6, took_s: (performance.now() - start_ms) / 1000 }
}

if (values.side === undefined) await compare()
else await measure(names.find((name) => name === values.side) ?? 'lots')
