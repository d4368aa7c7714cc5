import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { newHome } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { sized } from '#test/run/sized.ts'

import { serveMarket, type LargeFill } from './large_market.ts'
import { readLarge, reparseLarge, readStored } from './read_large.ts'

const covered = z.object({ state: z.string(), reason: z.string(), n_rejected: z.number(), n_read: z.number() })
const fill = z.object({ tx: z.string(), role: z.string(), seq: z.number() })

const storedFills = async (home: string): Promise<LargeFill[]> => {
  return readStored(home, ({ query }) =>
    query('select tx, role, seq::int as seq from lake.fills order by tx, seq', fill),
  )
}

/** JavaScript's heap has no room for the rows of either size. With all of them in memory the process ends. */
const heap_mb = 112
const n_trades = sized(100_000, 100_000, 200_000)

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

test('a market that is larger than the memory, none of whose rows parses, is quarantined with the first of them', async () => {
  const upstream = await serveMarket(n_trades, 'cost')
  onTestFinished(upstream.close)
  const home = await newHome()
  const reading = await readLarge({ home, upstream, memory: '200MB', source: 'polymarket_trades', heap_mb })
  expect(reading).toMatchObject({ rows: 0, failures: [] })
  const stored = await readStored(home, ({ query }) =>
    query(
      `select state, reason, (select count(*)::int from lake.quarantine) as n_rejected, n_read::int as n_read
       from lake.coverage where dataset = 'fills'`,
      covered,
    ),
  )
  const reason = expect.stringMatching(/^at least 10000 rows did not parse/u) as unknown
  expect(stored).toEqual([{ state: 'quarantined', reason, n_rejected: 10_000, n_read: 10_000 }])
})
