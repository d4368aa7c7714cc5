import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import type { DuckDBConnection } from '@duckdb/node-api'

import { parseModel } from '#builder/load.ts'
import { makeTemporary, materialize, showDerived } from '#builder/materialize.ts'
import type { SqlModel } from '#builder/model.ts'
import { runFold } from '#builder/run_fold.ts'
import { openLake } from '#lake/lake.ts'
import { lotLedger } from '#scoring/core/lots/lot_ledger.ts'
import { literal, openDuckDB, parquet, withConnection } from '#storage/duckdb.ts'

import { inOwnProcess, measureHere } from './fold/own_process.ts'
import { printSide, ratioOf, timed, type Measured, type Run } from './fold/timed.ts'
import { stable, tradesFile } from './lots/trades.ts'

/**
 * First-in, first-out lots of generated trades, from Parquet to written lots, compared with DuckDB's plain sort of the
 * same file: `npm run bench -- lots [--trades 50000000] [--threads 2] [--memory 8GB] [--rounds 3]`. `sort` sorts the
 * file into a table, `copy` sorts it into a Parquet file, as lots are written. `lots` writes what a build stores of
 * them, `core.acquisitions`: their names, instants and amounts are those of their trades, which the view `core.lots`
 * joins. The seconds of a read of all its columns follow. Each run is a separate process. Seconds are those of the
 * processor, which other work on the machine changes least. The last lines are `ratio copy` and `ratio sort`, the
 * medians of lots / copy and lots / sort over the rounds.
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
  for (const side of names) printSide(side, runs[side], { n, unit: 'trades' })
  for (const side of ['copy', 'sort'] as const)
    console.log(`ratio ${side} ${ratioOf(runs.lots, runs[side]).toFixed(2)}`)
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

/**
 * The models of the ledger as in a build: wallets and tokens numbered, the events sorted and folded, the lots written.
 */
async function foldLots(file: string, home: string): Promise<Measured> {
  const lake = await openLake(home, { threads: 1, memory: '100MB' })
  const instance = await openDuckDB({ ...limits, scratch: home })
  return withConnection(instance, async (connection) => {
    await createInputs(connection)
    await showDerived(connection, await modelNamed('trades', 'trades'), file)
    const write = async (name: string): Promise<void> => {
      await materialize({ lake, connection, scratch: home, derived: 'derived' }, await modelNamed(name))
    }
    const measured = await timed(async () => {
      for (const name of ['lot_wallets', 'lot_tokens']) await write(name)
      await runFold(instance, lotLedger)
      await write('acquisitions')
    })
    await makeTemporary(connection, await modelNamed('lots'), 1)
    const read = await timed(() => connection.run('select sum(hash(lots)) from core.lots lots'))
    const counts = await connection.runAndReadAll('select count(*) from core.acquisitions')
    const lots = Number(counts.getRows()[0]?.[0]).toLocaleString('en')
    return { ...measured, note: `, ${lots} lots; then core.lots is read in ${read.cpu_s.toFixed(1)} s` }
  })
}

async function modelNamed(name: string, folder = 'lots'): Promise<SqlModel> {
  const path = fileURLToPath(new URL(`../scoring/core/${folder}/${name}.sql`, import.meta.url))
  return parseModel('core', name, await readFile(path, 'utf8'))
}

/** The inputs of the ledger beside the trades: no transfers, and the kinds of the two monies. */
async function createInputs(connection: DuckDBConnection): Promise<void> {
  await connection.run(`
    create schema core;
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

if (values.side === undefined) await compare()
else await measure(names.find((name) => name === values.side) ?? 'lots')
