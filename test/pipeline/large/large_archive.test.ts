import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { newHome } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import { serveArchive } from './large_list.ts'
import { readLarge, reparseLarge, readStored } from './read_large.ts'

const counted = z.object({ n: z.number(), n_resolved: z.number(), n_at: z.number(), n_anew: z.number() })

async function storedMarkets(home: string): Promise<z.output<typeof counted>[]> {
  return readStored(home, ({ query }) =>
    query(
      `select count(distinct market_id)::int as n, count(ts)::int as n_resolved,
           count(*) filter (epoch(ts) = epoch(timestamp '2026-01-01') + split_part(market_id, '-M', 2)::int)::int as n_at,
           count(*) filter (question like '%, again?%')::int as n_anew
         from lake.markets left join lake.resolutions using (market_id)`,
      counted,
    ),
  )
}

/** JavaScript's heap has no room for so many markets. With all of them in memory the process ends. */
const heap_mb = 96
const n_markets = 60_000

test('a series of Kalshi’s archive that is larger than the memory is stored, each market as it is listed last', async () => {
  const upstream = await serveArchive(n_markets)
  onTestFinished(upstream.close)
  const home = await newHome()
  const limits = { memory: '200MB', source: 'kalshi_archive', heap_mb } as const
  const read = { rows: 2 * n_markets, failures: [] }
  expect(await readLarge({ home, upstream, ...limits })).toMatchObject(read)
  const all = { n: n_markets, n_resolved: n_markets, n_at: n_markets, n_anew: n_markets / 10 }
  expect(await storedMarkets(home)).toEqual([all])
  const files = await parquetFiles(home)
  expect(await reparseLarge(home, limits)).toMatchObject(read)
  expect(await parquetFiles(home)).toEqual(files)
})
