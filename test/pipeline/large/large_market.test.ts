import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { newHome } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { sized } from '#test/run/sized.ts'

import { serveMarket, type LargeFill } from './large_market.ts'
import { readLarge, reparseLarge, readStored } from './read_large.ts'

const fill = z.object({ tx: z.string(), role: z.string(), seq: z.number() })

const storedFills = async (home: string): Promise<LargeFill[]> => {
  return readStored(home, ({ query }) =>
    query('select tx, role, seq::int as seq from lake.fills order by tx, seq', fill),
  )
}

/** JavaScript's heap has no room for the rows of either size. With all of them in memory the process ends. */
const heap_mb = 64
const n_trades = sized(100_000, 200_000)

test('a market of Polymarket that is larger than the memory is stored, with the takers and the numbers of its rows', async () => {
  const upstream = await serveMarket(n_trades)
  onTestFinished(upstream.close)
  const home = await newHome()
  const source = 'polymarket_trades'
  const limits = { memory: '200MB', source } as const
  expect(await readLarge({ home, upstream, ...limits, heap_mb })).toMatchObject({ rows: n_trades, failures: [] })
  expect(await storedFills(home)).toEqual(upstream.expected())
  const files = await parquetFiles(home)
  expect(await reparseLarge(home, limits)).toMatchObject({ rows: n_trades, failures: [] })
  expect(await parquetFiles(home)).toEqual(files)
})
