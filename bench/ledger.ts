import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import type { DuckDBConnection } from '@duckdb/node-api'

import { loadModels } from '#builder/load.ts'
import { materialize } from '#builder/materialize.ts'
import { runFold } from '#builder/run_fold.ts'
import { openLake } from '#lake/lake.ts'
import { ledger } from '#scoring/core/ledger/ledger.ts'
import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'
import { numberFills } from '#test/scoring/core/ledger/ledger_tables.ts'

import { inOwnProcess, measureHere, median, type InProcess } from './fold/own_process.ts'
import { fillsFile } from './ledger/fills.ts'

/**
 * The positions ledger of generated fills, from Parquet to written positions, compared with a plain sort of the same
 * file by DuckDB: `npm run bench -- ledger [--fills 20000000] [--threads 2] [--memory 8GB] [--rounds 3]`. Each run is a
 * separate process, so that its peak memory is measured alone. The last line is `ratio sort <ledger / sort>`, the
 * median over the rounds.
 */
const { values } = parseArgs({
  options: {
    fills: { type: 'string', default: '20000000' },
    threads: { type: 'string', default: '2' },
    memory: { type: 'string', default: '8GB' },
    rounds: { type: 'string', default: '3' },
    side: { type: 'string' },
  },
})
const limits = { threads: Number(values.threads), memory: values.memory }
type Measured = { took_s: number; note: string }
type Run = InProcess<Measured>

const sides = { sort, ledger: foldLedger }
type Side = keyof typeof sides

/** Runs both sides alternately and prints their time and memory. */
async function compare(): Promise<void> {
  const n = Number(values.fills)
  console.log(`${n.toLocaleString('en')} fills, ${limits.threads} threads, memory limit ${limits.memory}`)
  await fillsFile(n, limits)
  const sorts: Run[] = []
  const ledgers: Run[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    sorts.push(await inOwnProcess<Measured>(import.meta.url, 'sort'))
    ledgers.push(await inOwnProcess<Measured>(import.meta.url, 'ledger'))
  }
  print('sort', n, sorts)
  print('ledger', n, ledgers)
  // The ratio of each round, since both sides of a round have the same load of the machine.
  const ratios = ledgers.map(({ took_s }, round) => took_s / (sorts[round]?.took_s ?? Number.NaN))
  console.log(`ratio sort ${median(ratios).toFixed(2)}`)
}

function print(side: Side, n: number, runs: readonly Run[]): void {
  const took_s = median(runs.map((run) => run.took_s))
  const each = runs.map((run) => run.took_s.toFixed(1)).join(' ')
  const rate = Math.round(n / took_s).toLocaleString('en')
  const peak_gb = Math.max(...runs.map((run) => run.peak_gb)).toFixed(1)
  const note = runs[0]?.note ?? ''
  console.log(`${side.padEnd(6)} ${took_s.toFixed(1)} s (${each}), ${rate} rows/s, peak memory ${peak_gb} GB${note}`)
}

async function measure(side: Side): Promise<void> {
  const file = await fillsFile(Number(values.fills), limits)
  await measureHere((folder) => sides[side](file, folder))
}

/** DuckDB's own sort of the file, into a table. `token` is a market's outcome. */
async function sort(file: string, scratch: string): Promise<Measured> {
  const instance = await openDuckDB({ ...limits, scratch })
  return withConnection(instance, async (connection) => {
    const took_s = await seconds(() =>
      connection.run(
        `create table s as select * from read_parquet(${literal(file)}) order by trader, market_id, outcome, ts, seq`,
      ),
    )
    return { took_s, note: '' }
  })
}

/** The models of the ledger as in a build: the names coded, the events sorted and folded, the positions written. */
async function foldLedger(file: string, home: string): Promise<Measured> {
  const lake = await openLake(home, { threads: 1, memory: '100MB' })
  const instance = await openDuckDB({ ...limits, scratch: home })
  const models = await loadModels(join(dirname(fileURLToPath(import.meta.url)), '../scoring'), [ledger])
  return withConnection(instance, async (connection) => {
    await createInputs(connection, file)
    const write = async (name: string): Promise<void> => {
      const model = models.find((each) => each.layer === 'core' && each.name === name)
      if (model?.kind !== 'sql') throw new Error(`model core.${name}: unknown; expected a model of SQL`)
      await materialize({ lake, connection, scratch: home, derived: 'derived' }, model)
    }
    const took_s = await seconds(async () => {
      for (const name of ['trader_addresses', 'ledger_traders', 'ledger_markets', 'ledger_moves']) await write(name)
      await numberFills(connection)
      await runFold(instance, ledger)
      await write('positions')
    })
    const more_s = await seconds(() => write('realizations'))
    const counts = await connection.runAndReadAll(
      'select (select count(*) from core.positions), (select count(*) from core.realizations)',
    )
    const [positions, realizations] = (counts.getRows()[0] ?? []).map((count) => Number(count).toLocaleString('en'))
    return {
      took_s,
      note: `, ${positions} positions; then ${realizations} realizations in ${more_s.toFixed(1)} s`,
    }
  })
}

/** The inputs of the ledger: the fills of the file and their markets. */
async function createInputs(connection: DuckDBConnection, file: string): Promise<void> {
  await connection.run(`
    create schema core;
    create schema staging;
    create view staging.fills as from read_parquet(${literal(file)});
    create table core.markets as
      select distinct market_id, venue, market_id as event_id, null::varchar as category, 2 as n_outcomes,
        null::timestamp as starts_at, null::varchar as starts_by, null::timestamp as resolved_at,
        null::varchar as neg_risk_id, null::integer as neg_risk_index
      from staging.fills;
    create table staging.activity (
      venue varchar, trader varchar, ts timestamp, tx varchar, kind varchar, market_id varchar, token_id varchar,
      seq integer, size decimal(38, 6), cash_usd decimal(38, 6), neg_risk_id varchar, index_set varchar, n_questions bigint
    );
    create table staging.wallet_owners (wallet varchar, owner varchar);
    create table staging.outcome_tokens (token_id varchar, market_id varchar, outcome integer);
    create table core.share_transfers (
      trader_index integer, wallet varchar, venue varchar, ts timestamp, tx varchar, kind varchar, market_id varchar,
      token_id varchar, seq integer, market_index integer, outcome integer, size decimal(38, 6),
      value_usd decimal(38, 6)
    );
    create table staging.resolutions (market_id varchar, ts timestamp, payouts decimal(9, 6)[], tx varchar)`)
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start_ms = performance.now()
  await work()
  return (performance.now() - start_ms) / 1000
}

if (values.side === 'sort' || values.side === 'ledger') await measure(values.side)
else await compare()
