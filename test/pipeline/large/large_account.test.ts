import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { newHome } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import { serveAccount, type LargeRejected, type LargeRow } from './large_account.ts'
import { readLarge, reparseLarge, readStored } from './read_large.ts'

const row = z.object({ tx: z.string(), kind: z.string(), seq: z.number(), cash_usd: z.string() })
const rejected = z.object({ ordinal: z.number(), orderId: z.string(), reason: z.string() })

async function stored(home: string): Promise<{ rows: LargeRow[]; rejected: LargeRejected[] }> {
  return readStored(home, async ({ query }) => ({
    rows: await query(
      `select tx, side as kind, seq::int as seq, cash_usd::varchar as cash_usd from lake.fills
         union all select tx, kind, seq::int, cash_usd::varchar from lake.activity order by all`,
      row,
    ),
    rejected: await query(
      `select ordinal::int as ordinal, body ->> 'orderId' as orderId, reason from lake.quarantine order by all`,
      rejected,
    ),
  }))
}

/** JavaScript's heap has no room for so many rows. With all of them in memory the process ends. */
const heap_mb = 128
const n_rows = 60_000

test('an account of Limitless that is larger than the memory is stored, with each row once', async () => {
  const upstream = await serveAccount(n_rows)
  onTestFinished(upstream.close)
  const home = await newHome()
  const limits = { memory: '200MB', source: 'limitless_activity', heap_mb } as const
  const expected = upstream.expected()
  const read = { rows: expected.rows.length, failures: [] }
  expect(await readLarge({ home, upstream, ...limits })).toMatchObject(read)
  expect(await stored(home)).toEqual(expected)
  const files = await parquetFiles(home)
  expect(await reparseLarge(home, limits)).toMatchObject(read)
  expect(await parquetFiles(home)).toEqual(files)
})
