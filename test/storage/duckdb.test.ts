import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'

import { interruptsOf, openDuckDB, openSmallDuckDB, withConnection } from '#storage/duckdb.ts'

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

test('every instance of a process returns the memory that statements free', async () => {
  const openings = [() => openDuckDB({ threads: 1, memory: '64MB', scratch: '' }), () => openSmallDuckDB('64MB')]
  for (const open of openings) {
    const instance = await open()
    const settings = await withConnection(instance, (connection) =>
      connection.runAndReadAll(
        `select current_setting('allocator_background_threads'), current_setting('enable_external_file_cache'),
          current_setting('temp_directory'), current_setting('memory_limit')`,
      ),
    )
    expect(settings.getRows()).toEqual([[true, false, '', '61.0 MiB']])
    instance.closeSync()
  }
})
