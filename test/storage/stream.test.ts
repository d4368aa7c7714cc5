import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { streamOf } from '#storage/stream.ts'

let instance: DuckDBInstance
let connection: DuckDBConnection

beforeAll(async () => {
  instance = await DuckDBInstance.create()
  connection = await instance.connect()
})

afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

/** The numbers that a stream gives. */
async function numbersOf(sql: string, n_rows: number): Promise<unknown[]> {
  const numbers: unknown[] = []
  for await (const chunk of streamOf(connection, sql, n_rows))
    for (const one of chunk.getColumnValues(0)) numbers.push(one)
  return numbers
}

test.each([0, 1, 2048, 10_000])('a stream has its %d rows', async (n) => {
  expect(await numbersOf(`select i::integer from range(${n}) t(i) order by i`, n)).toEqual([...Array(n).keys()])
})

test('a stream that fails after its first rows throws', async () => {
  const failing = `select case when i = 900000 then error('no memory') else i::integer end from range(1000000) t(i)`
  await expect(numbersOf(failing, 1_000_000)).rejects.toThrow(/^stream: \d+ rows were read; expected 1000000$/)
})

test('a stream that another statement ends throws', async () => {
  const reading = async (): Promise<void> => {
    for await (const chunk of streamOf(connection, 'select i from range(100000) t(i)', 100_000)) {
      if (chunk.rowCount > 0) await connection.run('select 1')
    }
  }
  await expect(reading()).rejects.toThrow('stream: ')
})
