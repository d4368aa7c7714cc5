import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'

import { compactLake } from '#lake/compaction/compact.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import type { Lake } from '#lake/lake.ts'
import { latestSnapshot } from '#lake/snapshot.ts'
import type { Unit } from '#lake/units/unit.ts'
import { lifeOf, market, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { sized } from '#test/run/sized.ts'
import { DAY, HOUR, machineClock } from '#time.ts'

import { mergeAll } from './merge_all.ts'

/** The prices of a unit, and whether its market is described. The number of its quotes is that of the prices. */
type Contents = { prices: readonly number[]; isDescribed: boolean }
/** The contents of each unit, by its key. */
type Model = ReadonlyMap<string, Contents>

const units: Record<string, Unit> = Object.fromEntries([
  ...['0xa', '0xb', '0xc', '0xd', '0xe', '0xf', '0xg', '0xh', '0xi', '0xj'].map((key) => [key, lifeOf(key)]),
  ...[0, 1, 2].map((n) => {
    const from = noon - (noon % HOUR) + n * HOUR
    return [`hour${n}`, { ...lifeOf(''), source: 'venue_feed', kind: 'hour', from, to: from + HOUR }]
  }),
])

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      key: fc.constantFrom(...Object.keys(units)),
      // Often the same rows again, which change nothing.
      prices: fc.oneof(fc.constantFrom([], [1], [2, 2]), fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 })),
      isDescribed: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom('merge', 'compact', 'vacuum', 'look' as const) },
)

const rowShape = z.object({
  key: z.string(),
  source: z.string(),
  n: z.bigint().transform(Number),
  price: z.number(),
})

/** The rows of a snapshot as texts. */
async function seenAt(lake: Lake, snapshot?: number): Promise<string[]> {
  const sql = `select substr(market_id, 7) as key, source, epoch_us(ts) % 10 as n, (bid * 10)::integer as price
    from lake.quotes
    union all select substr(market_id, 7), source, -1, -1 from lake.markets order by all`
  const rows = await lake.read(({ query }) => query(sql, rowShape), snapshot)
  const covered = await lake.read(
    ({ query }) => query('select sum(n_rows)::bigint as n from lake.coverage', z.object({ n: z.bigint().nullable() })),
    snapshot,
  )
  return [...rows.map(({ key, source, n, price }) => [key, source, n, price].join(' ')), `${covered[0]?.n ?? 0}`]
}

function expectedOf(model: Model): string[] {
  const rows = [...model].flatMap(([key, { prices, isDescribed }]) => {
    const source = units[key]?.source ?? ''
    const quotes = prices.map((price, n): [string, string, number, number] => [key, source, n, price])
    return isDescribed ? [...quotes, [key, source, -1, -1] as [string, string, number, number]] : quotes
  })
  rows.sort(([a, b, c, d], [e, f, g, h]) => (a < e ? -1 : a > e ? 1 : b < f ? -1 : b > f ? 1 : c - g || d - h))
  return [...rows.map((row) => row.join(' ')), `${rows.length}`]
}

const store = (lake: Lake, key: string, { prices, isDescribed }: Contents) =>
  storeRows(lake, units[key] ?? lifeOf(key), {
    quotes: prices.map((price, n) => quote(key, noon + n, { bid: BigInt(price) * 100_000n })),
    markets: isDescribed ? [market(key)] : [],
  })

test('a lake has what was stored last, whatever is merged and deleted, and so has each snapshot that is kept', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const lake = await newLake()
      const model = new Map<string, Contents>()
      let kept: { snapshot: number; expected: string[] }[] = []
      for (const now of steps) {
        if (typeof now === 'object') {
          await store(lake, now.key, now)
          model.set(now.key, now)
        } else if (now === 'merge') await mergeAll(lake)
        else if (now === 'compact') await compactLake(lake, { now: machineClock(), minAge_s: 0 })
        else if (now === 'look') {
          for (const { snapshot, expected } of kept) expect(await seenAt(lake, snapshot)).toEqual(expected)
          kept.push({ snapshot: await latestSnapshot(lake.catalog), expected: expectedOf(model) })
        } else {
          await vacuum(lake, { now: machineClock() + DAY, keep_ms: 1_000 })
          kept = []
        }
      }
      expect(await seenAt(lake)).toEqual(expectedOf(model))
      for (const { snapshot, expected } of kept) expect(await seenAt(lake, snapshot)).toEqual(expected)
      // Every file is the one of its digest, and after a vacuum no other one is left.
      await vacuum(lake, { now: machineClock() + DAY, keep_ms: 1_000 })
      await parquetFiles(lake.home)
      expect(await seenAt(lake)).toEqual(expectedOf(model))
    }),
    { numRuns: sized(4, 10, 24), seed: 7 },
  )
})
