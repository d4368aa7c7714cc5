import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { tablesOf, tablesRead } from '#models/dag.ts'
import { checkTable } from '#models/materialize.ts'
import { layers, type Model } from '#models/model.ts'
import { runFold } from '#models/run_fold.ts'
import { loadScoring } from '#scoring/index.ts'
import type { World } from '#sim/markets/types.ts'
import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'
import { type Micros, isoMicros } from '#time.ts'

import { createLake } from './lake.ts'

export type Build = {
  world: World
  at: Micros
  /** The tables that are wanted; what they rest on is made too. */
  wanted: readonly string[]
  threads?: number
  /** Changes models, to plant a fault in one. */
  mutate?: Mutation
  /** Changes rows of the lake. */
  tamper?: (connection: DuckDBConnection) => Promise<void>
}

export type Mutation = (model: Model) => Model

/** Replaces a piece of a model's select, which must be there. */
export const replacing =
  (id: string, piece: string, by: string): Mutation =>
  (model) => {
    if (`${model.layer}.${model.name}` !== id) return model
    if (!model.sql.includes(piece)) throw new Error(`${id} has no "${piece}"`)
    return { ...model, sql: model.sql.replaceAll(piece, by) }
  }

/** Scores a world, from whole rows of the lake in memory to the wanted tables, and works on them. */
export async function scoreWorld<T>(
  { world, at, wanted, threads = 2, mutate = (model) => model, tamper }: Build,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const scratch = join(tmpdir(), `tapeline-skill-${process.pid}`)
  const instance = await openDuckDB({ threads, memory: '2GB', scratch })
  try {
    return await withConnection(instance, async (connection) => {
      await connection.run(['lake', ...layers].map((schema) => `create schema ${schema};`).join(' '))
      await createLake(connection, world, at)
      await tamper?.(connection)
      await connection.run(`create table core.clock as select timestamp ${literal(isoMicros(at))} as as_of`)
      for (const model of await neededModels(
        connection,
        (await loadScoring()).map((model) => mutate(model)),
        wanted,
      )) {
        if (model.kind === 'fold') await runFold(instance, model)
        else {
          const columns = model.columns.map(({ name, sql }) => `"${name}"::${sql} as "${name}"`)
          await connection.run(
            `create table ${model.layer}.${model.name} as select ${columns.join(', ')} from (${model.sql}\n)`,
          )
          await checkTable(connection, model)
        }
      }
      return work(connection)
    })
  } finally {
    instance.closeSync()
  }
}

/** The models that the wanted tables rest on, each after all that it reads. */
async function neededModels(
  connection: DuckDBConnection,
  models: Model[],
  wanted: readonly string[],
): Promise<Model[]> {
  const needed = new Set<Model>()
  const visit = async (table: string): Promise<void> => {
    const maker = models.find((model) => tablesOf(model).includes(table))
    if (maker === undefined || needed.has(maker)) return
    for (const read of await tablesRead(connection, `${maker.layer}.${maker.name}`, maker.sql)) await visit(read)
    needed.add(maker)
  }
  for (const table of wanted) await visit(table)
  return [...needed]
}
