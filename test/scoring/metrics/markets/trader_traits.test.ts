import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
type Case = { fills?: Row[]; given?: Given; n_fills?: number; n_closed?: number; volume?: number }

const fill = (more: Row = {}): Row => ({
  trader: 'ann',
  ts: '2026-11-10',
  market_id: 'm',
  outcome: 0,
  side: 'buy',
  role: 'taker',
  price: 0.5,
  size: 100,
  cash_usd: 50,
  is_self: false,
  ...more,
})

/** Ann, proven, with these fills. */
const traitsOf = async ({ fills = [], given = {}, n_fills = 20, n_closed = 10, volume = 0 }: Case) => {
  const rows = await run('metrics.trader_traits', {
    'core.fills': fills.map((row, seq) => ({ seq, ...row })),
    'core.ledger_markets': ['m', 'n', 'o'].map((market_id) => ({ market_id, n_outcomes: 2 })),
    'core.ledger_traders': [{ trader_index: 5, trader: 'ann' }],
    'staging.fills': Array.from({ length: n_fills }, (_, seq) => ({ trader: 'ann', seq })),
    'metrics.trader_results': [
      { trader: 'ann', range: 'all', n_closed },
      { trader: 'ann', range: '90d', volume_usd: volume },
      { trader: 'ann', range: '30d', n_closed: 99 },
    ],
    ...given,
  })
  expect(rows).toHaveLength(1)
  return rows[0] ?? {}
}
const archetype = async (of: Case) => (await traitsOf(of))['archetype']

test('unproven is who has fewer than 20 fills or 10 closed markets', async () => {
  expect(await archetype({})).toBe('generalist')
  expect(await archetype({ n_fills: 19 })).toBe('unproven')
  expect(await archetype({ n_closed: 9 })).toBe('unproven')
  expect(await traitsOf({ n_fills: 0, n_closed: 0 })).toMatchObject({
    n_fills: 0,
    n_closed: 0,
    maker_share: null,
    both_sides_share: 0,
    net_share: 0,
    set_share: 0,
    dip_share: 0,
    volume_90d_usd: 0,
    volume_90d_pct: 100,
    archetype: 'unproven',
  })
})

test('fills of nothing, as dust is rounded to, give no share', async () => {
  const none = { both_sides_share: 0, net_share: 0, longshot_share: 0, favorite_share: 0, archetype: 'generalist' }
  const dust = fill({ size: 0.000001, price: 0.1, cash_usd: 0 })
  expect(await traitsOf({ fills: [dust] })).toMatchObject({ ...none, net_share: 1 })
  expect(await traitsOf({ fills: [{ ...dust, size: 0 }] })).toMatchObject(none)
})

describe('a market maker', () => {
  const up = (size: number, more: Row = {}) => fill({ size, cash_usd: size / 2, role: 'maker', ...more })
  const down = (size: number, more: Row = {}) => up(size, { side: 'sell', ...more })

  test('is seen by roles, by sides, and by what is left of them', async () => {
    const fills = [
      up(60),
      // The other outcome bought is the first one sold.
      up(40, { outcome: 1 }),
      fill({ market_id: 'n', size: 20, cash_usd: 10 }),
      down(999, { market_id: 'o', is_self: true }),
    ]
    expect(await traitsOf({ fills })).toMatchObject({
      maker_share: 0.833333,
      both_sides_share: 0.5,
      net_share: 0.333333,
      archetype: 'generalist',
    })
  })

  test.each([
    [[up(60), down(40)], 'market_maker'],
    [[up(61), down(39)], 'generalist'],
    [[up(60), down(10), down(30, { role: 'taker' })], 'market_maker'],
    [[up(60), down(9), down(31, { role: 'taker' })], 'generalist'],
    [[up(50), down(50), up(4, { market_id: 'n' })], 'market_maker'],
    [[up(50), down(50), up(4, { market_id: 'n' }), up(4, { market_id: 'o' })], 'generalist'],
    // Without a known role, only both sides and net.
    [[up(60, { role: null }), down(40, { role: null })], 'market_maker'],
  ])('case %#', async (fills, expected) => {
    expect(await archetype({ fills })).toBe(expected)
  })
})

describe('an arbitrageur', () => {
  const sets = (bought: number, merged: number, more: Row[] = []): Given => ({
    'core.trader_markets': [
      { trader: 'ann', market_id: 'm', cost_usd: 60 },
      { trader: 'ann', market_id: 'n', cost_usd: 40 },
    ],
    'core.complete_sets': [{ trader: 'ann', cluster_id: 'm', cost_usd: bought }],
    'core.realizations': [
      { trader: 'ann', market_id: 'm', kind: 'merge', cost_usd: merged },
      { trader: 'ann', market_id: 'm', kind: 'sale', cost_usd: 99 },
      ...more,
    ],
  })
  const share = async (given: Given) => cut([await traitsOf({ given })], 'set_share', 'archetype')[0]

  test('has half of the cost in sets; one bought and then merged is one', async () => {
    expect(await share(sets(50, 0))).toEqual([0.5, 'arbitrageur'])
    expect(await share(sets(40, 50))).toEqual([0.5, 'arbitrageur'])
    expect(await share(sets(49.99, 40))).toEqual([0.4999, 'generalist'])
    expect(await share(sets(20, 20, [{ trader: 'ann', market_id: 'n', kind: 'conversion', cost_usd: 30 }]))).toEqual([
      0.5,
      'arbitrageur',
    ])
    expect(await share(sets(500, 0))).toEqual([1, 'arbitrageur'])
  })
})

describe('skill', () => {
  const score = (of: Record<string, number | boolean | string | null>): Given => ({
    'metrics.clv_scores': [{ trader: 'ann', range: 'all', kind: 'event_start', is_trusted: true, ...of }],
  })

  test.each([
    [score({ q: 0.1 }), 'sharp'],
    [score({ q: 0.11 }), 'generalist'],
    [score({ q: null, q_wide: 0.01 }), 'generalist'],
    [score({ q_below: 0.1 }), 'fade_target'],
    [score({ q_below: 0.11 }), 'generalist'],
    // Closes that are not trusted give no archetype.
    [score({ q: 0.01, is_trusted: false }), 'generalist'],
    [score({ q: 0.01, range: '30d' }), 'generalist'],
  ])('case %#', async (given, expected) => {
    expect(await archetype({ given })).toBe(expected)
  })

  const bought = (before: number, day: number, share = 60): Given => ({
    'core.entry_trends': [
      { trader_index: 5, seq: 0, stake_usd: share, price_before: before, price_day_before: day },
      { trader_index: 5, seq: 1, stake_usd: 100 - share, price_before: null, price_day_before: null },
      { trader_index: 6, seq: 2, stake_usd: 999, price_before: 0.1, price_day_before: 0.9 },
    ],
  })
  const fills = [fill({ cash_usd: 60, fee_usd: 10 }), fill({ cash_usd: 30 })]

  test('a value hunter buys what fell, and is likely to be right', async () => {
    const of = async (trend: Given, clv: Given) => {
      const { dip_share, archetype: found } = await traitsOf({ fills, given: { ...trend, ...clv } })
      return [dip_share, found]
    }
    expect(await of(bought(0.49, 0.5), score({ q_wide: 0.2 }))).toEqual([0.6, 'value_hunter'])
    expect(await of(bought(0.49, 0.5, 59), score({ q_wide: 0.2 }))).toEqual([0.59, 'generalist'])
    expect(await of(bought(0.49, 0.5), score({ q_wide: 0.21 }))).toEqual([0.6, 'generalist'])
    expect(await of(bought(0.5, 0.5), score({ q_wide: 0.2 }))).toEqual([0, 'generalist'])
  })

  test('a momentum chaser buys what rose by 5 points', async () => {
    const of = async (trend: Given) => {
      const { rise_share, archetype: found } = await traitsOf({ fills, given: trend })
      return [rise_share, found]
    }
    expect(await of(bought(0.55, 0.5))).toEqual([0.6, 'momentum_chaser'])
    expect(await of(bought(0.549999, 0.5))).toEqual([0, 'generalist'])
    expect(await of(bought(0.55, 0.5, 59))).toEqual([0.59, 'generalist'])
  })
})

test.each([
  [0.2, 60, 'longshot_hunter'],
  [0.200001, 60, 'generalist'],
  [0.2, 59, 'generalist'],
  [0.8, 60, 'favorite_backer'],
  [0.799999, 60, 'generalist'],
])('at %d with %d %% of the stake: %s', async (price, cash_usd, expected) => {
  const fills = [
    fill({ price, cash_usd }),
    fill({ cash_usd: 100 - cash_usd }),
    fill({ price, cash_usd: 500, side: 'sell' }),
  ]
  expect(await archetype({ fills })).toBe(expected)
})

describe('a whale', () => {
  const crowd = (volume: number, others: number): Given => ({
    'metrics.trader_results': [
      { trader: 'ann', range: 'all', n_closed: 10 },
      { trader: 'ann', range: '90d', volume_usd: volume },
      ...Array.from({ length: others }, (_, n) => ({ trader: `other ${n}`, range: '90d', volume_usd: 1 + n })),
      { trader: 'idle', range: '90d', volume_usd: 0 },
    ],
  })
  const of = async (given: Given) => cut([await traitsOf({ given })], 'volume_90d_pct', 'archetype')[0]

  test('is in the top percent of 90 days, with 100,000 dollars', async () => {
    expect(await of(crowd(100_000, 99))).toEqual([1, 'whale'])
    expect(await of(crowd(99_999, 99))).toEqual([1, 'generalist'])
    expect(await of(crowd(100_000, 98))).toEqual([1.010101, 'generalist'])
  })
})

test('the first that fits counts', async () => {
  const fills = [
    fill({ role: 'maker', price: 0.1, cash_usd: 10 }),
    fill({ role: 'maker', price: 0.1, cash_usd: 10, side: 'sell' }),
  ]
  const given = {
    'core.trader_markets': [{ trader: 'ann', market_id: 'm', cost_usd: 1 }],
    'core.complete_sets': [{ trader: 'ann', cluster_id: 'm', cost_usd: 1 }],
    'metrics.clv_scores': [{ trader: 'ann', range: 'all', kind: 'event_start', q: 0.01, is_trusted: true }],
  }
  expect(await archetype({ fills, given })).toBe('market_maker')
  expect(await archetype({ fills: fills.slice(0, 1), given })).toBe('arbitrageur')
  const { 'metrics.clv_scores': clv } = given
  expect(await archetype({ fills: fills.slice(0, 1), given: { 'metrics.clv_scores': clv } })).toBe('sharp')
  expect(await archetype({ fills: fills.slice(0, 1) })).toBe('longshot_hunter')
})
