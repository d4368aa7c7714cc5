import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { rejectionRates } from '#bin/report/rejection_rate.ts'
import { datasets } from '#lake/datasets/index.ts'
import { openLake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

const limits = { threads: 1, memory: '200MB' }
const countShape = z.object({ n_rows: z.bigint(), n_read: z.bigint().nullable() })
const observation: Unit = {
  source: 'polymarket_odds',
  kind: 'observation',
  part: 'polymarket',
  key: '',
  from: noon,
  to: noon,
  params: [],
}
const rejected = [{ dataset: 'quotes', reason: 'odd', body: 1 }] as const

/** A home as the version before the column left it. */
async function storeFormerly(home: string): Promise<void> {
  const lake = await openLake(home, limits)
  await storeRows(lake, observation, { quotes: [quote('0xa', noon)] }, { rejected, checkedAt: noon })
  await lake.close()
  const file = new Libsql(join(home, 'catalog.sqlite'))
  file.exec('alter table tapeline_coverage drop column n_read')
  file.close()
}

describe('a home of the version that did not count the rows read', () => {
  let home: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'tapeline-former-'))
    await storeFormerly(home)
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  it('keeps its units, whose count is unknown, and counts the next reading', async () => {
    const lake = await openLake(home, limits)
    const counts = () =>
      lake.read(({ query }) => query('select n_rows, n_read from lake.coverage order by unit', countShape))
    expect(await counts()).toEqual([{ n_rows: 1n, n_read: null }])
    expect(await lake.read(rejectionRates)).toEqual([])
    const at = noon + 60_000_000
    await storeRows(
      lake,
      { ...observation, from: at, to: at },
      { quotes: [] },
      { rejected, checkedAt: at, n_read: { quotes: 50 } },
    )
    expect(await counts()).toEqual([
      { n_rows: 1n, n_read: null },
      { n_rows: 0n, n_read: 50n },
    ])
    expect(await lake.read(rejectionRates)).toEqual([
      { source: 'polymarket_odds', n_rows: 50, n_refused: 1, share: 0.02 },
    ])
    await lake.close()
  })

  it('is opened beside a process that has it open, and again', async () => {
    const first = await openLake(home, limits)
    const second = await openLake(home, limits)
    for (const lake of [first, second]) expect(await lake.read(rejectionRates)).toEqual([])
    await first.close()
    await second.close()
  })
})

it('gives the columns of a dataset their order, also where some are new', async () => {
  const home = await newHome()
  await (await newLake({ home })).close()
  const file = new Libsql(join(home, 'catalog.sqlite'))
  const ofQuotes = `table_id = (select table_id from ducklake_table where table_name = 'quotes')`
  const columns = file.prepare(
    `select column_name as name from ducklake_column where ${ofQuotes} order by column_order, column_name`,
  )
  // The version before these two columns.
  file.exec(`delete from ducklake_column where ${ofQuotes} and column_name in ('venue_price', 'liquidity_usd');
    update ducklake_column set column_order = 11 where ${ofQuotes} and column_name = 'source'`)
  expect(columns.all()).toHaveLength(Object.keys(datasets.quotes.columns).length - 2)
  await (await newLake({ home })).close()
  expect(columns.all()).toEqual(Object.keys(datasets.quotes.columns).map((name) => ({ name })))
  file.close()
})
