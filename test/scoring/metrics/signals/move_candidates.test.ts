import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { run } from '#test/scoring/model.ts'

const baseline = { market_id: 'v:m', question: 'Q', move_scale: 0.1, n_hours: 100, median_hour_usd: 0 }
const odds = (before: number, now: number) => [
  { market_id: 'v:m', ts: '2026-11-20 10:30:00', mid: before, is_pushed: false },
  { market_id: 'v:m', ts: '2026-11-20 11:40:00', mid: now, is_pushed: false },
]
const traded = (usd: number) => [
  {
    venue: 'v',
    market_id: 'v:m',
    token_id: 'a',
    ts: '2026-11-20 11:30:00',
    tx: 't',
    role: 'taker',
    price: 0.5,
    size: usd * 2,
  },
]
const given = (before: number, now: number, usd = 5_000, more = {}) => ({
  'metrics.signal_markets': [{ ...baseline, ...more }],
  'core.odds': odds(before, now),
  'staging.tape': traded(usd),
})
const logit = (p: number): number => Math.log(p / (1 - p))

/** Both tails of Student's t with 4 degrees of freedom, by Simpson's rule over its density. */
function bothTails(t: number): number {
  const density = (x: number): number => (3 / 8) * (1 + (x * x) / 4) ** -2.5
  // With x = t / u the tail from t on becomes the integral over u from 0 to 1.
  const at = (u: number): number => (u === 0 ? 0 : density(t / u) * (t / (u * u)))
  const n = 2_000
  let sum = at(0) + at(1)
  for (let i = 1; i < n; i++) sum += (i % 2 === 1 ? 4 : 2) * at(i / n)
  return (2 * sum) / (3 * n)
}

test('the chance of a move is that of Student, whatever the move', async () => {
  const price = fc.integer({ min: 30, max: 970 }).map((n) => n / 1_000)
  await fc.assert(
    fc.asyncProperty(price, price, async (before, now) => {
      fc.pre(before !== now)
      const t = (logit(now) - logit(before)) / 0.1
      const [row] = await run('metrics.move_candidates', given(before, now))
      expect(row?.['t']).toBeCloseTo(t, 9)
      expect(Number(row?.['p']) / bothTails(Math.abs(t))).toBeCloseTo(1, 4)
    }),
    { numRuns: sized(10, 20) },
  )
})

test('a move needs a price before that is not extreme, and volume', async () => {
  expect(await run('metrics.move_candidates', given(0.5, 0.8))).toHaveLength(1)
  expect(await run('metrics.move_candidates', given(0.029, 0.8))).toEqual([])
  expect(await run('metrics.move_candidates', given(0.5, 0.8, 999))).toEqual([])
  expect(await run('metrics.move_candidates', given(0.5, 0.8, 5_000, { median_hour_usd: 1_667 }))).toEqual([])
  const young = { ...given(0.5, 0.8), 'core.odds': odds(0.5, 0.8).slice(1) }
  expect(await run('metrics.move_candidates', young)).toEqual([])
})
