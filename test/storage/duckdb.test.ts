import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'

import { interruptsOf } from '#storage/duckdb.ts'

test('an interrupt that comes before its statement ends it, and no statement after its end', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const interrupts = interruptsOf(connection)
  interrupts.begin()
  await expect(connection.run('select count(*) from range(100000000000) where hash(range) % 7 = 3')).rejects.toThrow(
    'INTERRUPT',
  )
  interrupts.end()
  const reader = await connection.runAndReadAll('select count(*)::integer as n from range(1000000)')
  expect(reader.getRowObjects()).toEqual([{ n: 1_000_000 }])
  connection.closeSync()
  instance.closeSync()
})
