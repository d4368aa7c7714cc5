import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { run } from '#test/scoring/model.ts'

const noon = Date.UTC(2026, 10, 20, 12)
/** The instant some hours before the clock, as SQL. */
const ago = (hours: number): string => new Date(noon - hours * 3_600_000).toISOString().slice(0, 23).replace('T', ' ')
const signal = (more: object = {}) => ({
  id: 'sig_1',
  published_at: ago(30),
  tick_at: ago(30),
  type: 'market',
  entity: 'v:m',
  direction: 'up',
  evidence: '[]',
  ...more,
})
const market = { market_id: 'v:m', n_outcomes: 2, is_open: true }
const outcomes = [0, 1].map((outcome) => ({ market_id: 'v:m', outcome, token_id: `t${outcome}` }))
const given = (feed: object, more: object = {}) => ({
  'lake.feed': [feed as ReturnType<typeof signal>],
  'core.market_states': [market],
  'core.outcomes': outcomes,
  ...more,
})
const odds = (mids: readonly (readonly [hoursAgo: number, mid: number])[]) => ({
  'core.odds': mids.map(([hours, mid]) => ({ market_id: 'v:m', ts: ago(hours), mid, is_pushed: false })),
})
const found = async (feed: object, more: object = {}) => run('metrics.signal_outcomes', given(feed, more))

/** The outcome of a signal of 30 hours ago by its definition, hour by hour. */
function expected(mids: readonly (readonly [number, number])[], isRise: boolean) {
  const valueAt = (hours: number): number | null => {
    const known = mids.filter(([at]) => at >= hours).toSorted(([a], [b]) => a - b)
    return known[0]?.[1] ?? null
  }
  const isOn = (hours: number): boolean | null => {
    const [before, after] = [valueAt(hours), valueAt(hours - 24)]
    if (before === null || after === null) return null
    return isRise ? after > before : after < before
  }
  const baseline = Array.from({ length: 168 }, (_, n) => isOn(30 + 24 + n)).filter((one) => one !== null)
  const n_on = baseline.filter((one) => one).length
  return {
    value_before: valueAt(30),
    value_after: valueAt(6),
    is_hit: isOn(30),
    n_baseline: baseline.length,
    baseline_rate: baseline.length === 0 ? null : Math.round((n_on / baseline.length) * 1e6) / 1e6,
  }
}

test('an outcome and its baseline are those of the definition, whatever the odds', async () => {
  const mid = fc.integer({ min: 1, max: 99 }).map((cents) => cents / 100)
  const quotes = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 260 }), mid), {
    selector: ([hours]) => hours,
    minLength: 1,
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(quotes, fc.boolean(), async (mids, isRise) => {
      const rows = await found(signal({ direction: isRise ? 'up' : 'down' }), odds(mids))
      const truth = expected(mids, isRise)
      if (truth.is_hit === null) expect(rows).toEqual([])
      else expect(rows).toMatchObject([{ id: 'sig_1', horizon_s: 86_400, measure: 'mid', ...truth }])
    }),
    { numRuns: sized(8, 25) },
  )
})

test('a signal is due an hour after its horizon, until it has a grade, for 8 days', async () => {
  const mids = odds([
    [200, 0.4],
    [1, 0.5],
  ])
  const at = (hours: number) => signal({ tick_at: ago(hours), published_at: ago(hours) })
  expect(await found(at(24.9), mids)).toEqual([])
  expect(await found(at(25), mids)).toMatchObject([{ value_before: 0.4, value_after: 0.5, is_hit: true }])
  expect(await found(at(192), odds([[300, 0.4]]))).toEqual([])
  const grade = { id: 'sig_1', horizon_s: 86_400, graded_at: ago(1), is_hit: true }
  expect(await found(at(25), { ...mids, 'lake.grades': [grade] })).toEqual([])
})

test('a trade is graded by the price of its outcome or token, and a resolved market by its payout', async () => {
  const evidence = (...refs: [string, string][]) => JSON.stringify(refs.map(([kind, ref]) => ({ kind, ref })))
  const entry = signal({
    type: 'wallet',
    entity: '0xa',
    direction: 'entry',
    evidence: evidence(['transaction', 'x'], ['market', 'v:m'], ['outcome', 't1']),
  })
  const resolved = {
    'core.market_states': [{ ...market, resolved_at: ago(10) }],
    'core.outcomes': outcomes.map((one) => ({ ...one, payout: one.outcome })),
    ...odds([
      [100, 0.4],
      [9, 0.9],
    ]),
  }
  expect(await found(entry, resolved)).toMatchObject([
    { measure: 'outcome_price', value_before: 0.6, value_after: 1, is_hit: true, baseline_rate: 0 },
  ])
  const exit = signal({
    type: 'wallet',
    direction: 'exit',
    evidence: evidence(['transaction', 'x'], ['token', 'base:0xp']),
  })
  const price = (hours: number, usd_per_unit: number, to: number) => ({
    chain: 'base',
    token: '0xp',
    ts: ago(hours),
    to_at: ago(to),
    usd_per_unit,
  })
  const prices = { 'core.unit_prices': [price(31, 2e-18, 7), price(7, 1e-18, 0)] }
  expect(await found(exit, prices)).toMatchObject([
    {
      measure: 'token_price',
      value_before: 2e-18,
      value_after: 1e-18,
      is_hit: true,
      baseline_rate: null,
      n_baseline: 0,
    },
  ])
  // A price is known for a day.
  expect(await found(exit, { 'core.unit_prices': [price(31, 2e-18, 7)] })).toEqual([])
})

test('a burst and several types are graded by the share of the asset in the credit of a day, over the platforms', async () => {
  const credit = (platform: string, symbol: string, hours: number, amount: number) => ({
    platform,
    symbol,
    hour_at: ago(hours),
    credit: amount,
  })
  const hours = [
    credit('x', 'SOL', 31, 1),
    credit('x', '*', 50, 3),
    credit('reddit', 'BTC', 40, 2),
    // The hour of the signal is not whole, and this one is 24 hours before the horizon.
    credit('x', 'SOL', 30, 100),
    credit('x', 'SOL', 7, 3),
    credit('x', 'BTC', 29, 97),
  ]
  const platforms = [
    { platform: 'x', weight: 0.25 },
    { platform: 'reddit', weight: 0.2 },
  ]
  const social = { 'core.attention_hours': hours, 'core.platforms': platforms }
  for (const [type, direction] of [
    ['social', 'burst'],
    ['signal', 'together'],
  ]) {
    const [row] = await found(signal({ type, entity: 'SOL', direction }), social)
    expect(row).toMatchObject({ measure: 'mindshare_pct', is_hit: true })
    expect(row?.['value_before']).toBeCloseTo((100 * 0.25 * (1 / 4)) / 0.45, 9)
    expect(row?.['value_after']).toBeCloseTo(100 * (103 / 200), 9)
  }
})
