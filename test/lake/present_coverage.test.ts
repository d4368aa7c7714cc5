import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { withoutFuture } from '#lake/present_coverage.ts'
import { HOUR, SECOND, isAhead, lastPresent } from '#time.ts'

import { lifeOf, newLake, noon, storeRows } from './fixture.ts'

const shape = z.object({ key: z.string(), state: z.string(), read: z.string() })

/** The coverage that a plan sees at noon, joined with itself as a plan may do. */
const seen = (lake: Lake) =>
  lake.read((reader) =>
    withoutFuture(reader, noon).query(
      `select c.key, c.state, c.checked_at::varchar as read
       from lake.coverage c join lake.coverage using (unit, dataset) order by c.key`,
      shape,
    ),
  )

test('clocks may differ by ten minutes', () => {
  expect(isAhead(noon + 600 * SECOND, noon)).toBe(false)
  expect(isAhead(noon + 600 * SECOND + 1, noon)).toBe(true)
  expect(lastPresent(noon)).toBe(noon + 600 * SECOND)
})

test('a plan sees a reading of the future as a missing one, and all others as they are', async () => {
  const lake = await newLake()
  await storeRows(lake, lifeOf('0xa'), { quotes: [] }, { checkedAt: noon + 600 * SECOND })
  await storeRows(lake, lifeOf('0xb'), { quotes: [] }, { checkedAt: noon + HOUR })
  const blocks = { ...lifeOf('0xc'), kind: 'blocks' as const, from: 10, to: 20 }
  await storeRows(lake, blocks, { quotes: [] }, { checkedAt: noon + HOUR, to: 20 })
  await storeRows(lake, lifeOf('0xd'), { quotes: [] }, { checkedAt: noon + HOUR })
  await lake.catalog.db.updateTable('tapeline_coverage').set({ state: 'expired' }).where('key', '=', '0xd').execute()
  expect(await seen(lake)).toEqual([
    { key: '0xa', state: 'head', read: '2026-11-20 13:15:00' },
    { key: '0xb', state: 'missing', read: '1970-01-01 00:00:00' },
    { key: '0xc', state: 'head', read: '2026-11-20 14:05:00' },
    { key: '0xd', state: 'expired', read: '2026-11-20 14:05:00' },
  ])
})
