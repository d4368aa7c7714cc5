import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { newHome } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import { serveList } from './large_list.ts'
import { readAt, readLarge, reparseLarge, readStored } from './read_large.ts'

const counted = z.object({ seen_at: z.number(), n: z.number(), n_terms: z.number(), n_changed: z.number() })

const storedMarkets = async (home: string): Promise<z.output<typeof counted>[]> => {
  return readStored(home, ({ query }) =>
    query(
      `select epoch_us(seen_at)::double as seen_at, count(distinct market_id)::int as n,
           count(*) filter (category = 'category ' || split_part(market_id, '-', 1)[-1:])::int as n_terms,
           count(*) filter (question like '%, again?%')::int as n_changed
         from lake.markets group by all order by all`,
      counted,
    ),
  )
}

/** JavaScript's heap has no room for so many markets. With all of them in memory the process ends. */
const heap_mb = 160
const n_markets = 60_000
const minute = 60_000_000

test('a list of markets of Kalshi that is larger than the memory is stored, and then its changes alone', async () => {
  const upstream = await serveList(n_markets)
  onTestFinished(upstream.close)
  const home = await newHome()
  const limits = { memory: '200MB', source: 'kalshi_markets' } as const
  expect(await readLarge({ home, upstream, ...limits, heap_mb })).toMatchObject({ rows: n_markets, failures: [] })
  upstream.change(100)
  const at = readAt + 5 * minute
  const n_changed = n_markets / 100
  expect(await readLarge({ home, upstream, ...limits, heap_mb, at })).toMatchObject({ rows: n_changed, failures: [] })
  expect(await storedMarkets(home)).toEqual([
    { seen_at: readAt, n: n_markets, n_terms: n_markets, n_changed: 0 },
    { seen_at: at, n: n_changed, n_terms: n_changed, n_changed },
  ])
  const files = await parquetFiles(home)
  expect(await reparseLarge(home, limits)).toMatchObject({ rows: n_markets + n_changed, failures: [] })
  expect(await parquetFiles(home)).toEqual(files)
})
