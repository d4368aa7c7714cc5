import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const hoursAgo = (n: number): string => new Date(noon - n * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
const market = { market_id: 'v:m', question: 'Will Bitcoin reach 200k?', is_open: true, n_outcomes: 2 }
/** A book that has another mid each hour. */
const odds = (mids: readonly number[]) =>
  mids.map((mid, i) => ({ market_id: 'v:m', ts: hoursAgo(mids.length - 1 - i), mid, is_pushed: false }))
const logit = (p: number): number => Math.log(p / (1 - p))
const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}

test('the scale is the median absolute deviation of hourly changes, above a floor', async () => {
  const mids = Array.from({ length: 100 }, (_, i) => 0.5 + 0.1 * Math.sin(i * 7.3) * Math.cos(i))
  const given = { 'core.markets': [market], 'core.odds': odds(mids) }
  const [row] = await run('metrics.signal_markets', given)
  const known = mids.map((mid) => Math.round(mid * 1e6) / 1e6)
  const moves = known.slice(1).map((mid, i) => logit(mid) - logit(known[i] ?? 0))
  const middle = median(moves)
  expect(row?.['move_scale']).toBeCloseTo(1.4826 * median(moves.map((move) => Math.abs(move - middle))), 6)
  expect(row).toMatchObject({ n_hours: 99, median_hour_usd: 0, symbols: [] })
  const still = await run('metrics.signal_markets', { ...given, 'core.odds': odds(mids.map(() => 0.5)) })
  expect(still).toMatchObject([{ move_scale: 0.05 }])
})

test('a market needs 24 hours, and to be open', async () => {
  const few = { 'core.markets': [market], 'core.odds': odds(Array.from({ length: 24 }, () => 0.5)) }
  expect(await run('metrics.signal_markets', few)).toEqual([])
  const closed = {
    'core.markets': [{ ...market, is_open: false }],
    'core.odds': odds(Array.from({ length: 50 }, () => 0.5)),
  }
  expect(await run('metrics.signal_markets', closed)).toEqual([])
})

test('an hour without a trade counts in the median volume', async () => {
  const traded = (n: number) =>
    Array.from({ length: n }, (_, i) => ({
      venue: 'v',
      market_id: 'v:m',
      token_id: 'a',
      ts: hoursAgo(i + 0.5),
      tx: `t${i}`,
      role: 'taker',
      price: 0.5,
      size: 200 + 2 * i,
    }))
  const given = {
    'core.markets': [{ ...market, symbols: ['BTC'] }],
    'core.odds': odds(Array.from({ length: 50 }, () => 0.5)),
  }
  expect(await run('metrics.signal_markets', { ...given, 'staging.tape': traded(83) })).toMatchObject([
    { median_hour_usd: 0, symbols: ['BTC'] },
  ])
  expect(await run('metrics.signal_markets', { ...given, 'staging.tape': traded(84) })).toMatchObject([
    { median_hour_usd: 100 },
  ])
})
