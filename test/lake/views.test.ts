import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'

import { lakeViews } from '#lake/views.ts'
import { ask } from '#test/models/fixture.ts'

import { lifeOf, newHome, newLake, noon, quote, storeRows } from './fixture.ts'

const viewOf = async (lake: Awaited<ReturnType<typeof newLake>>, name: string): Promise<string> =>
  (await lakeViews(lake.storage)).find((view) => view.name === name)?.select ?? ''

test('a view has the columns of today over files of any day: what they lack is null, what is no more is left out', async () => {
  const lake = await newLake()
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('a', noon)] })
  const older = join(await newHome(), 'older.parquet')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  // The first file by name has neither all columns nor their order.
  await connection.run(`copy (select 'gone' as retired, 'venue:b' as market_id, timestamp '2026-11-20' as ts,
    0.25::decimal(9,6) as bid, 0 as period_s, 'venue' as venue, 'venue_quotes' as source) to '${older}' (format parquet)`)
  connection.closeSync()
  instance.closeSync()
  await lake.storage.put('lake/quotes/v1/venue_quotes/venue/00/0x0.parquet', { file: older })
  const select = await viewOf(lake, 'quotes')
  expect(await ask(':memory:', `select market_id, bid, ask, period_s from (${select}) order by market_id`)).toEqual([
    ['venue:a', '0.400000', '0.420000', '0'],
    ['venue:b', '0.250000', null, '0'],
  ])
})

test('a view is made without opening a file: there may be a thousand', async () => {
  const lake = await newLake()
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('a', noon)] })
  await lake.storage.put('lake/quotes/v1/venue_quotes/venue/ff/0xf.parquet', Buffer.from('no Parquet'))
  const select = await viewOf(lake, 'quotes')
  expect(await ask(':memory:', `select count(*) from (describe ${select})`)).toEqual([['11']])
  await expect(ask(':memory:', select)).rejects.toThrow('0xf.parquet')
})
