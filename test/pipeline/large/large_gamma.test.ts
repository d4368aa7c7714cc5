import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { newHome } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'

import { serveGamma } from './large_gamma.ts'
import { readAt, readLarge, readStored } from './read_large.ts'

const counted = z.object({
  seen_at: z.number(),
  n: z.number(),
  n_tagged: z.number(),
  n_resolved: z.number(),
  n_changed: z.number(),
})
const rejected = z.object({ ordinal: z.number(), reason: z.string(), question: z.string() })

async function stored(home: string) {
  return readStored(home, async ({ query }) => ({
    markets: await query(
      `select epoch_us(seen_at)::double as seen_at, count(distinct market_id)::int as n,
           count(*) filter (category = 'sports'
             and tags = ['Sports', 'Tag ' || split_part(event_id, ':', 2)[-1:]])::int as n_tagged,
           count(*) filter (status = 'resolved')::int as n_resolved,
           count(*) filter (question like '%, again?')::int as n_changed
         from lake.markets group by all order by all`,
      counted,
    ),
    rejected: await query(
      `select ordinal::int as ordinal, reason, body ->> 'question' as question from lake.quarantine order by all`,
      rejected,
    ),
  }))
}

/** JavaScript's heap has no room for so many markets. With all of them in memory the process ends. */
const heap_mb = 176
const n_markets = sized(50_000, 50_000, 100_000)
/** An open market among those that change. */
const n_swapped = 28_950
const minute = 60_000_000

test('a list of markets of Polymarket that is larger than the memory is stored, and then its changes alone', async () => {
  const upstream = await serveGamma(n_markets)
  onTestFinished(upstream.close)
  const home = await newHome()
  const limits = { memory: '200MB', source: 'polymarket_markets' } as const
  expect(await readLarge({ home, upstream, ...limits, heap_mb })).toMatchObject({ rows: n_markets, failures: [] })
  upstream.change(50)
  // A market cannot get other tokens: a row that says so is rejected.
  upstream.swap(n_swapped)
  const at = readAt + 5 * minute
  const n_changed = n_markets / 50 - 1
  expect(await readLarge({ home, upstream, ...limits, heap_mb, at })).toMatchObject({ rows: n_changed, failures: [] })
  expect(await stored(home)).toEqual({
    markets: [
      { seen_at: readAt, n: n_markets, n_tagged: n_markets, n_resolved: 0.91 * n_markets, n_changed: 0 },
      { seen_at: at, n: n_changed, n_tagged: n_changed, n_resolved: n_markets / 100, n_changed },
    ],
    rejected: [
      {
        ordinal: 0,
        reason: 'token_ids: others than before; expected the tokens of the market',
        question: `Will market ${n_swapped} be read whole, again?`,
      },
    ],
  })
})
