import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { createRegistryTables } from '#builder/builtin_tables.ts'
import { tablesOf, tablesRead, type Ordered } from '#builder/dag.ts'
import { checkTable } from '#builder/materialize.ts'
import { layers, type Model, type SqlModel } from '#builder/model.ts'
import { runFold } from '#builder/run_fold.ts'
import { loadScoring } from '#scoring/index.ts'
import type { World } from '#sim/markets/types.ts'
import { literal, openDuckDB } from '#storage/duckdb.ts'
import { type Micros, isoMicros } from '#time.ts'

import { createLake } from './lake.ts'

/** The tables that are wanted, and the faults that are planted. What the tables rest on is made too. */
export type Faulty = {
  wanted: readonly string[]
  /** Changes models, to plant a fault in one. It returns models that it does not change as they are. */
  mutate?: Mutation
  /** Changes rows of the lake. */
  tamper?: Tamper
}

export type Mutation = (model: Model) => Model
export type Tamper = (connection: DuckDBConnection) => Promise<void>

/** Replaces a piece of a model's select, which must be there. */
export const replacing =
  (id: string, piece: string, by: string): Mutation =>
  (model) => {
    if (`${model.layer}.${model.name}` !== id) return model
    if (!model.sql.includes(piece)) throw new Error(`${id} has no "${piece}"`)
    return { ...model, sql: model.sql.replaceAll(piece, by) }
  }

type Scored = { world: World; at: Micros; threads?: number }

/** Scores a world, from whole rows of the lake in memory to the wanted tables, and works on them. */
export async function scoreWorld<T>(
  { world, at, threads = 1, ...faulty }: Scored & Faulty,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const scores = await openScores({ world, at, threads })
  try {
    return await work(await scores.make(faulty))
  } finally {
    scores.close()
  }
}

/** The scores of a world. `make` makes the wanted tables, and keeps those of earlier calls that no fault changes. */
export type Scores = { make: (faulty: Faulty) => Promise<DuckDBConnection>; close: () => void }

/** A model that was run, and the place of its run among all. */
type Made = { model: Model; place: number }

/** Opens a world whose scores are made more than once. */
export async function openScores({ world, at, threads = 1 }: Scored): Promise<Scores> {
  const scratch = join(tmpdir(), `tapeline-skill-${process.pid}`)
  const instance = await openDuckDB({ threads, memory: '2GB', scratch })
  const connection = await instance.connect()
  await connection.run(['lake', ...layers].map((schema) => `create schema ${schema};`).join(' '))
  await connection.run(`create table core.clock as select timestamp ${literal(isoMicros(at))} as as_of`)
  await createRegistryTables(connection)
  const models = await loadScoring()
  const made = new Map<string, Made>()
  let tampered: Tamper | 'unread' | undefined = 'unread'
  let n_runs = 0
  return {
    make: async ({ wanted, mutate = (model) => model, tamper }) => {
      if (tamper !== tampered) {
        made.clear()
        await connection.run('drop schema lake cascade; create schema lake')
        await createLake(connection, world, at)
        await tamper?.(connection)
        tampered = tamper
      }
      for (const { model, reads } of await neededModels(connection, models.map(mutate), wanted)) {
        const tables = tablesOf(model)
        const own = made.get(tables[0] ?? '')
        if (own?.model === model && reads.every((table) => (made.get(table)?.place ?? 0) < own.place)) continue
        for (const table of tables) await connection.run(`drop table if exists ${table}`)
        await (model.kind === 'fold' ? runFold(instance, model) : create(connection, model))
        n_runs += 1
        for (const table of tables) made.set(table, { model, place: n_runs })
      }
      return connection
    },
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Makes a plain model's table as a build does, and checks its key. */
async function create(connection: DuckDBConnection, model: SqlModel): Promise<void> {
  const columns = model.columns.map(({ name, sql }) => `"${name}"::${sql} as "${name}"`)
  await connection.run(
    `create table ${model.layer}.${model.name} as select ${columns.join(', ')} from (${model.sql}\n)`,
  )
  await checkTable(connection, model)
}

/** The models that the wanted tables rest on, each after all that it reads. */
async function neededModels(
  connection: DuckDBConnection,
  models: readonly Model[],
  wanted: readonly string[],
): Promise<Ordered[]> {
  const needed = new Map<Model, Ordered>()
  const visit = async (table: string): Promise<void> => {
    const model = models.find((one) => tablesOf(one).includes(table))
    if (model === undefined || needed.has(model)) return
    const reads = await tablesRead(connection, `${model.layer}.${model.name}`, model.sql)
    for (const read of reads) await visit(read)
    needed.set(model, { model, reads })
  }
  for (const table of wanted) await visit(table)
  return [...needed.values()]
}
