import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api'

import { withConnection } from '#storage/duckdb.ts'

import { append, type Output } from './emit.ts'
import { createStoredViews } from './materialize.ts'
import type { Emit, FoldModel } from './model.ts'
import { withoutOrder } from './without_order.ts'

/**
 * Runs a fold: streams its ordered input through the function, and appends the emitted rows to its output tables. Input
 * and outputs have separate connections, since another statement on its connection ends a stream early, without an
 * error. A third connection counts the rows while the fold leaves DuckDB idle, to find such an early end.
 */
export async function runFold(instance: DuckDBInstance, model: FoldModel): Promise<void> {
  await withConnection(instance, async (output) => {
    await createStoredViews(output, model.sql)
    const appenders = await openOutputs(output, model)
    let expected: Promise<number> | undefined
    let n_read = 0
    const onChunk = (n_rows: number): void => {
      if (expected === undefined) {
        expected = countRows(instance, model)
        // A count that fails before the fold ends is reported after it; without a handler it would end the process.
        expected.catch(() => undefined)
      }
      n_read += n_rows
    }
    try {
      await withConnection(instance, (input) => model.fold(chunksOf(input, model.sql, onChunk), emitTo(appenders)))
    } finally {
      // Also after a failure: the count must not outlive the instance. The failure itself is reported below.
      await Promise.allSettled([expected])
    }
    const n = await (expected ?? countRows(instance, model))
    if (n !== n_read) throw new Error(`input: ${n_read} rows were read; expected ${n}`)
    for (const { appender } of appenders.values()) appender.closeSync()
  })
}

/** Counts the rows of the input, by default of its select without its order, which would sort all rows once more. */
const countRows = (instance: DuckDBInstance, { sql, count }: FoldModel): Promise<number> =>
  withConnection(instance, async (connection) => {
    const reader = await connection.runAndReadAll(count ?? `select count(*) from (${withoutOrder(sql)}\n)`)
    return Number(reader.getRows()[0]?.[0])
  })

/** The chunks of a select. Each is fetched while the previous one is processed. */
async function* chunksOf(
  connection: DuckDBConnection,
  sql: string,
  onChunk: (n_rows: number) => void,
): AsyncGenerator<DuckDBDataChunk> {
  const result = await connection.stream(sql)
  let fetching = result.fetchChunk()
  try {
    for (let chunk = await fetching; chunk !== null && chunk.rowCount > 0; chunk = await fetching) {
      fetching = result.fetchChunk()
      onChunk(chunk.rowCount)
      yield chunk
    }
  } finally {
    // A fold that stops early leaves a fetch in progress, which must end before the connection closes.
    await Promise.allSettled([fetching])
  }
}

async function openOutputs(connection: DuckDBConnection, { layer, outputs }: FoldModel): Promise<Map<string, Output>> {
  const opened = new Map<string, Output>()
  for (const [name, columns] of Object.entries(outputs)) {
    const definitions = columns.map(
      ({ name: column, sql, isNullable }) => `"${column}" ${sql}${isNullable ? '' : ' not null'}`,
    )
    await connection.run(`create table ${layer}.${name} (${definitions.join(', ')})`)
    const appender = await connection.createAppender(name, layer)
    const types = columns.map((_, index) => appender.columnType(index))
    opened.set(name, { appender, types, numbers: undefined })
  }
  return opened
}

const emitTo =
  (outputs: ReadonlyMap<string, Output>): Emit =>
  (name, columns) => {
    const output = outputs.get(name)
    if (output === undefined) throw new Error(`output ${name}: unknown; expected an output of the fold`)
    append(output, columns)
  }
