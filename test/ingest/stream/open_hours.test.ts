import { expect, test } from 'vitest'
import { z } from 'zod'

import type { StreamSource } from '#ingest/source.ts'
import { addEvent, contentsOf, hourOf, openHour } from '#ingest/stream/open_hours.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { blueskyJetstream } from '#sources/social/bluesky/bluesky_jetstream.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

const source: StreamSource = { ...blueskyJetstream, values: {} }
const hour = hourOf(noon)
const part = 'bluesky'
const countsShape = z.object({ dataset: z.string(), n_rejected: z.number(), reason: z.string() })

test('an hour counts all messages of a dataset that do not parse, also in its next run, and holds the first 1,000', async () => {
  const lake = await newLake()
  const store = async (bodies: readonly string[]): Promise<void> => {
    const open = await openHour(lake, source, { part, hour, from: hour })
    for (const [n, body] of bodies.entries()) {
      const dataset = n % 10 === 0 ? 'posts' : 'engagement'
      addEvent(open, { cursor: '1', at: noon, rows: {}, rejected: [{ dataset, reason: 'odd', body }] }, true)
    }
    const moment = { at: noon, isClosed: false, silentFrom: null, checkedAt: noon }
    await storeUnit(lake, open.unit, contentsOf(source, open, moment))
  }
  const counts = () =>
    lake.read(({ query }) =>
      query(
        `select dataset, n_rejected::int as n_rejected, reason from lake.coverage
         where dataset in ('engagement', 'posts') order by dataset`,
        countsShape,
      ),
    )
  const bodies = Array.from({ length: 1_500 }, (_, n) => `a${n}`)
  const reason = 'at least 1000 rows did not parse'
  await store(bodies)
  expect(await counts()).toEqual([
    { dataset: 'engagement', n_rejected: 1_350, reason },
    { dataset: 'posts', n_rejected: 150, reason },
  ])
  // A message that is held is repeated, and another one comes.
  await store(['a0', 'b1'])
  expect(await counts()).toMatchObject([{ n_rejected: 1_351 }, { n_rejected: 150 }])
})
