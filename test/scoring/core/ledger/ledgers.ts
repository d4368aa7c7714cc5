import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

import { tablesOf } from '#builder/dag.ts'
import { parseModel } from '#builder/load.ts'
import { checkTable } from '#builder/materialize.ts'
import type { FoldModel, SqlModel } from '#builder/model.ts'
import { runFold } from '#builder/run_fold.ts'
import { ledger } from '#scoring/core/ledger/ledger.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import type { History } from '#test/oracle/ledger/history.ts'

import { createInputs, numberFills, numberTransfers, readResults, type Results } from './ledger_tables.ts'

/** The models of the ledger, in the order in which they read each other. */
export type LedgerModels = { before: SqlModel[]; fold: FoldModel; after: SqlModel[] }

/** The folder of the models of the ledger. */
export const ledgerFolder = fileURLToPath(new URL('../../../../scoring/core/ledger/', import.meta.url))

/** The models of a folder: the real one, or a copy with a bug in it. */
export async function loadLedger(folder = ledgerFolder): Promise<LedgerModels> {
  const parse = async (name: string): Promise<SqlModel> =>
    parseModel('core', name, await readFile(join(folder, `${name}.sql`), 'utf8'))
  return {
    before: await Promise.all(['trader_addresses', 'ledger_traders', 'ledger_markets', 'ledger_moves'].map(parse)),
    fold: folder === ledgerFolder ? ledger : await copyOf(folder),
    after: await Promise.all(['positions', 'realizations'].map(parse)),
  }
}

async function copyOf(folder: string): Promise<FoldModel> {
  const copy = (await import(pathToFileURL(join(folder, 'ledger.ts')).href)) as { ledger: FoldModel }
  return copy.ledger
}

export const openLedgerDuckDB = (threads: number): Promise<DuckDBInstance> =>
  openDuckDB({ threads, memory: '1GB', scratch: join(tmpdir(), `tapeline-ledger-${process.pid}`) })

/** The ledgers of some histories in one go: each has traders, markets and groups of its own. */
export async function runLedgers(
  instance: DuckDBInstance,
  models: LedgerModels,
  histories: readonly History[],
): Promise<Results[]> {
  await loadHistories(instance, histories)
  return runLoaded(instance, models, histories.length)
}

/** Makes the tables that the ledger reads, in place of those of other histories. */
export const loadHistories = (instance: DuckDBInstance, histories: readonly History[]): Promise<void> =>
  withConnection(instance, async (connection) => {
    for (const schema of ['core', 'staging']) {
      await connection.run(`drop schema if exists ${schema} cascade; create schema ${schema}`)
    }
    await createInputs(connection, histories)
  })

/** The ledgers of the `n` loaded histories, in place of those of other models. */
export const runLoaded = (instance: DuckDBInstance, models: LedgerModels, n: number): Promise<Results[]> =>
  withConnection(instance, async (connection) => {
    const made = [...models.before, models.fold, ...models.after].flatMap(tablesOf)
    for (const table of made) await connection.run(`drop table if exists ${table}`)
    for (const model of models.before) {
      if (model.name === 'ledger_moves') await numberTransfers(connection)
      await create(connection, model)
    }
    await numberFills(connection)
    await runFold(instance, models.fold)
    for (const model of models.after) await create(connection, model)
    return readResults(connection, n)
  })

/** Makes a plain model's table as a build does, and checks its key. */
async function create(connection: DuckDBConnection, model: SqlModel): Promise<void> {
  const columns = model.columns.map(({ name, sql }) => `"${name}"::${sql} as "${name}"`)
  await connection.run(`create table core.${model.name} as select ${columns.join(', ')} from (${model.sql}\n)`)
  await checkTable(connection, model)
}
