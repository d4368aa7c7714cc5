import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import Libsql from 'libsql'
import { describe, expect, test } from 'vitest'

import { fieldId } from '#lake/columns.ts'
import { openLake } from '#lake/lake.ts'
import { repairLake } from '#lake/repair/repair.ts'
import { lifeOf, market, newHome, newLake, storeRows } from '#test/lake/fixture.ts'
import { contentsOf } from '#test/lake/repair/fixture.ts'

const limits = { threads: 1, memory: '256MB' }
const change = (home: string, statements: string): void => {
  const file = new Libsql(join(home, 'catalog.sqlite'))
  file.exec(statements)
  file.close()
}

/** A closed lake with a unit, and its contents. */
async function newClosed(): Promise<{ home: string; contents: string[] }> {
  const home = await newHome()
  const lake = await newLake({ home })
  await storeRows(lake, lifeOf('0xa'), { markets: [market('0xa')] }, { state: 'done' })
  const contents = await contentsOf(lake)
  await lake.close()
  return { home, contents }
}

const column = `insert into ducklake_column
  select ${fieldId('mood')}, begin_snapshot, end_snapshot, table_id, 99, 'mood', 'varchar', initial_default,
    default_value, nulls_allowed, parent_column, default_value_type, default_value_dialect
  from ducklake_column where column_name = 'question'`
const dataset = `insert into ducklake_table
  select 99, table_uuid, begin_snapshot, end_snapshot, schema_id, 'moods', 'moods/v1/', path_is_relative
  from ducklake_table where table_name = 'markets'`

describe.each([
  [
    'a column',
    column,
    `delete from ducklake_column where column_name = 'mood'`,
    'lake.markets: it has the column mood',
  ],
  ['a dataset', dataset, `delete from ducklake_table where table_name = 'moods'`, 'lake: it has the dataset moods'],
  [
    'a format',
    `update tapeline_metadata set value = '3' where key = 'format'`,
    `update tapeline_metadata set value = '2' where key = 'format'`,
    'lake: it is of format 3',
  ],
])('a lake to which a newer version gave %s', (_, add, remove, problem) => {
  test('is refused, also by a repair, and stays as it is', async () => {
    const { home, contents } = await newClosed()
    change(home, add)
    const message = `${problem}, which this version does not know; expected the newer version that wrote it`
    await expect(openLake(home, limits)).rejects.toThrow(message)
    await expect(repairLake({ home, limits, database: undefined })).rejects.toThrow(message)
    expect((await readdir(home)).filter((name) => name.includes('damaged'))).toEqual([])
    change(home, remove)
    expect(await contentsOf(await newLake({ home }))).toEqual(contents)
  })
})

test('a lake of the former format is refused by a repair before it moves a file', async () => {
  const { home } = await newClosed()
  const { storage, close } = await openLake(home, limits)
  await close()
  await storage.put('lake/lake.json', Buffer.from('{"format":1,"world":"real"}'))
  await storage.put('lake/markets/v1/former/unit.parquet', Buffer.from('a file without a digest in its name'))
  const before = await storage.list('lake')
  await expect(repairLake({ home, limits, database: undefined })).rejects.toThrow('this lake is of format 1')
  expect(await storage.list('lake')).toEqual(before)
})
