import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { repairLake } from '#lake/repair/repair.ts'
import { replacedBefore, replacedIn, undo } from '#lake/undo.ts'
import { markUnits } from '#lake/units/mark_units.ts'
import { listRaw } from '#lake/units/raw_responses.ts'
import { storeFailure, type UnitContents } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { verifyLake } from '#lake/verify.ts'
import { machineClock } from '#time.ts'

import { mergeAll } from './compaction/merge_all.ts'
import { lifeOf, market, newLake, noon, quote, storeRows } from './fixture.ts'

const unit = lifeOf('0xa')
const id = unitPath(unit)

/** Stores `n` quotes, a market and a rejected row. */
const storeMany = (lake: Lake, n: number, more: Partial<UnitContents> = {}, of: Unit = unit) =>
  storeRows(
    lake,
    of,
    { quotes: Array.from({ length: n }, (_, i) => quote(of.key, noon + i)), markets: [market(of.key)] },
    { rejected: [{ dataset: 'quotes', reason: 'odd', body: n }], state: 'quarantined', checkedAt: noon + n, ...more },
  )

const anyRow = z.record(z.string(), z.unknown())
async function contentsOf(lake: Lake) {
  const tables = ['quotes', 'markets', 'quarantine', "coverage where state <> 'x'"]
  return lake.read(async ({ query }) => {
    const rows = await Promise.all(tables.map((table) => query(`select * from lake.${table} order by all`, anyRow)))
    // The digest of a file follows from its writer too.
    return rows.map((table) => table.map(({ digest: _, ...row }) => row))
  })
}

describe('an undone reading', () => {
  test.each([
    ['of files of its own', false],
    ['of files that were merged', true],
  ])('leaves the rows, rejected rows and coverage of the one before it, %s', async (_, isMerged) => {
    const lake = await newLake()
    for (const key of ['0x1', '0xa', '0xf']) await storeMany(lake, 40, {}, lifeOf(key))
    if (isMerged) await mergeAll(lake)
    const before = await contentsOf(lake)
    await storeMany(lake, 7)
    const replaced = await replacedBefore(lake, id)
    expect(replaced).toMatchObject({ unit: id, n_rows: 8, former: { n_rows: 41, checked_at: noon + 40 } })
    await undo(lake, replaced)
    expect(await contentsOf(lake)).toEqual(before)
    expect((await verifyLake(lake, () => undefined)).faults).toEqual([])
    // A second one brings the reading back.
    await undo(lake, await replacedBefore(lake, id))
    expect((await contentsOf(lake))[0]).toHaveLength(87)
  })

  test('of the same instant, marked meanwhile, or after one without rows is brought back too', async () => {
    const lake = await newLake()
    const proved = { rejected: [], state: 'done', checkedAt: noon } as const
    await storeRows(lake, unit, { quotes: [], markets: [] }, proved)
    const empty = await contentsOf(lake)
    await storeMany(lake, 5, proved)
    const whole = await contentsOf(lake)
    await storeMany(lake, 2, proved)
    await markUnits(lake, [{ unit: id, checked_at: noon, contradiction: 'fewer', agreed: [] }])
    await undo(lake, await replacedBefore(lake, id))
    expect(await contentsOf(lake)).toEqual(whole)
    const other = await newLake()
    await storeRows(other, unit, { quotes: [], markets: [] }, proved)
    await storeMany(other, 5, proved)
    await undo(other, await replacedBefore(other, id))
    expect(await contentsOf(other)).toEqual(empty)
  })

  test('is not brought back by a reparse or a repair', async () => {
    const lake = await newLake()
    await storeMany(lake, 5)
    await storeMany(lake, 2)
    await lake.storage.put('raw/venue_quotes/venue/70/0xa.ndjson.zst', Buffer.from('x'))
    expect(await listRaw(lake, 'venue_quotes')).toHaveLength(1)
    await undo(lake, await replacedBefore(lake, id))
    expect(await listRaw(lake, 'venue_quotes')).toEqual([])
    const [before] = await contentsOf(lake)
    await lake.close()
    await rm(join(lake.home, 'catalog.sqlite'))
    const limits = { threads: 1, memory: '256MB' }
    expect((await repairLake({ home: lake.home, limits, database: undefined })).rebuilt).toMatchObject({ n_units: 1 })
    const [after] = await contentsOf(await newLake({ home: lake.home }))
    expect(after).toEqual(before)
  })

  test('is refused if the unit was read meanwhile, is unknown, or has no former reading', async () => {
    const lake = await newLake()
    await expect(replacedBefore(lake, id)).rejects.toThrow(`unit ${id}: not stored; expected one of \`lake.coverage\``)
    const failure = { datasets: ['quotes', 'markets'] as const, precedence: 1, reason: 'x', asked: [], checkedAt: 1 }
    await storeFailure(lake, unit, failure)
    await storeMany(lake, 5)
    const none = `unit ${id}: no former reading is kept; expected one that was replaced less than a day ago`
    await expect(replacedBefore(lake, id)).rejects.toThrow(none)
    await storeMany(lake, 6)
    const replaced = await replacedBefore(lake, id)
    await storeMany(lake, 7)
    const before = await contentsOf(lake)
    await expect(undo(lake, replaced)).rejects.toThrow(`unit ${id}: read meanwhile; expected no run that reads it`)
    expect(await contentsOf(lake)).toEqual(before)
    expect(await lake.catalog.db.selectFrom('tapeline_pins').selectAll().execute()).toEqual([])
  })
})

test('a run has replaced the readings of its time, of units that it did not read first or that were read since', async () => {
  const lake = await newLake()
  for (const key of ['0xa', '0xb', '0xlater']) await storeMany(lake, 9, {}, lifeOf(key))
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
  await pause()
  const from = machineClock()
  for (const key of ['0xa', '0xb', '0xlater', '0xfirst']) await storeMany(lake, 3, {}, lifeOf(key))
  // Two readings of one run.
  await storeMany(lake, 2, {}, lifeOf('0xb'))
  const to = machineClock()
  await pause()
  await storeMany(lake, 4, {}, lifeOf('0xlater'))
  const replaced = await replacedIn(lake, { source: 'venue_quotes', from, to })
  expect(replaced.map(({ unit: path, n_rows, former }) => [path, n_rows, former.n_rows])).toEqual([
    [unitPath(lifeOf('0xa')), 4, 10],
    [unitPath(lifeOf('0xb')), 3, 10],
  ])
  expect(await replacedIn(lake, { source: 'others', from, to })).toEqual([])
})
