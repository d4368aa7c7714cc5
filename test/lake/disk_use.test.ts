import { stat } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { catalogTime } from '#lake/catalog/catalog.ts'
import { diskUse } from '#lake/disk_use.ts'
import { openFolder } from '#storage/folder.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { DAY, HOUR, machineClock } from '#time.ts'

const quotesOf = (n: number) => ({ quotes: Array.from({ length: n }, (_, i) => quote('a', noon + i)) })

/** The bytes of the data files of a home by its folder, as the disk has them. */
async function bytesOf(home: string): Promise<number> {
  const folder = openFolder(home)
  const sizes = (await folder.list('lake')).map(async (path) => (await stat(folder.locate(path))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

test('has the bytes of each source, of replaced files, and the growth since the oldest snapshot', async () => {
  const lake = await newLake()
  await storeRows(lake, lifeOf('0xa'), quotesOf(10))
  const first = await bytesOf(lake.home)
  expect(await diskUse(lake.catalog, machineClock())).toEqual([
    { source: 'venue_quotes', bytes: first, replaced_bytes: 0, bytes_a_day: null },
  ])
  // The snapshot of the first unit is the oldest one, and six hours old.
  const now = machineClock()
  await lake.catalog.db.deleteFrom('ducklake_snapshot').where('snapshot_id', '=', 0).execute()
  await lake.catalog.db
    .updateTable('ducklake_snapshot')
    .set({ snapshot_time: catalogTime(now - 6 * HOUR) })
    .execute()
  await storeRows(lake, lifeOf('0xb'), quotesOf(5_000))
  const second = (await bytesOf(lake.home)) - first
  const [grown] = await diskUse(lake.catalog, now)
  expect(grown).toMatchObject({ bytes: first + second, replaced_bytes: 0 })
  expect((grown?.bytes_a_day ?? 0) / second).toBeCloseTo(DAY / (6 * HOUR), 2)
  await storeRows(lake, lifeOf('0xa'), quotesOf(20))
  const third = (await bytesOf(lake.home)) - first - second
  expect(await diskUse(lake.catalog, now)).toMatchObject([{ bytes: second + third, replaced_bytes: first }])
})
