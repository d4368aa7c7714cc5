import {
  DuckDBDataChunk,
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api'

import { withConnection } from './duckdb.ts'
import type { Emit, FoldModel } from './model.ts'

/** A chunk of an appender holds at most this many rows. */
const chunkRows = 2048

/**
 * Runs a fold: streams its ordered input through the function, and appends what it emits to its output tables. Input
 * and outputs have a connection each, since a stream ends early, without an error, when another statement runs on its
 * connection; the rows read are counted for the same reason.
 */
export async function runFold(instance: DuckDBInstance, model: FoldModel): Promise<void> {
  await withConnection(instance, async (output) => {
    const appenders = await openOutputs(output, model)
    await withConnection(instance, async (input) => {
      const counter = { rows: 0 }
      await model.fold(chunksOf(input, model.sql, counter), emitTo(appenders))
      const expected = await input.runAndReadAll(`select count(*) from (${model.sql}\n)`)
      const n = Number(expected.getRows()[0]?.[0])
      if (n !== counter.rows) throw new Error(`its input has ${n} rows, and ${counter.rows} were read`)
    })
    for (const { appender } of appenders.values()) appender.closeSync()
  })
}

async function* chunksOf(
  connection: DuckDBConnection,
  sql: string,
  counter: { rows: number },
): AsyncGenerator<DuckDBDataChunk> {
  const result = await connection.stream(sql)
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    counter.rows += chunk.rowCount
    yield chunk
  }
}

type Output = { appender: DuckDBAppender; types: DuckDBType[] }

async function openOutputs(connection: DuckDBConnection, { layer, outputs }: FoldModel): Promise<Map<string, Output>> {
  const opened = new Map<string, Output>()
  for (const [name, columns] of Object.entries(outputs)) {
    const definitions = columns.map(
      ({ name: column, sql, isNullable }) => `"${column}" ${sql}${isNullable ? '' : ' not null'}`,
    )
    await connection.run(`create table ${layer}.${name} (${definitions.join(', ')})`)
    const appender = await connection.createAppender(name, layer)
    opened.set(name, { appender, types: columns.map((_, index) => appender.columnType(index)) })
  }
  return opened
}

const emitTo =
  (outputs: ReadonlyMap<string, Output>): Emit =>
  (name, columns) => {
    const output = outputs.get(name)
    if (output === undefined) throw new Error(`it emits to ${name}, which is not among its outputs`)
    const rows = columns[0]?.length ?? 0
    for (let start = 0; start < rows; start += chunkRows) {
      const length = Math.min(chunkRows, rows - start)
      const chunk = DuckDBDataChunk.create(output.types, length)
      columns.forEach((values, index) => {
        chunk.setColumnValues(index, values.slice(start, start + length) as DuckDBValue[])
      })
      output.appender.appendDataChunk(chunk)
    }
  }
