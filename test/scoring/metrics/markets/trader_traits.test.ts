import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
type Case = { style?: Row; given?: Given; n_fills?: number; n_closed?: number; volume?: number; roi?: number | null }

/** Ann, proven, with this style. */
const traitsOf = async ({ style, given = {}, n_fills = 20, n_closed = 10, volume = 0, roi = null }: Case) => {
  const rows = await run('metrics.trader_traits', {
    'metrics.trader_styles': style === undefined ? [] : [{ trader_index: 5, role: 'taker', ...style }],
    'core.ledger_traders': [{ trader_index: 5, trader: 'ann' }],
    'staging.fills': Array.from({ length: n_fills }, (_, seq) => ({ trader: 'ann', seq })),
    'metrics.trader_results': [
      { trader: 'ann', range: 'all', n_closed, roi },
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
    role: 'taker',
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

test('the style is that of the fills', async () => {
  const style = { role: 'poster', maker_share: 0.6, both_sides_share: 0.25, net_share: 0.75 }
  expect(await traitsOf({ style })).toMatchObject({ ...style, archetype: 'generalist' })
  expect(await archetype({ style: { role: 'market_maker' } })).toBe('market_maker')
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
    'metrics.clv_scores': [
      { trader: 'ann', range: 'all', kind: 'event_start', skill_points: 1, is_trusted: true, ...of },
    ],
  })
  const below = { q_below: 0.1, skill_points: -1 }

  test.each<[Case, string]>([
    [{ given: score({ q: 0.1 }) }, 'sharp'],
    [{ given: score({ q: 0.11 }) }, 'generalist'],
    [{ given: score({ q: null, q_wide: 0.01 }) }, 'generalist'],
    // No word beside a figure that contradicts it.
    [{ given: score({ q: 0.1, skill_points: 0 }) }, 'generalist'],
    [{ given: score({ q: 0.1, skill_points: -1 }) }, 'generalist'],
    // A poster is sharp beyond the posters; a market maker chooses no side.
    [{ given: score({ q: 0.1 }), style: { role: 'poster' } }, 'sharp'],
    [{ given: score({ q: 0.1 }), style: { role: 'market_maker' } }, 'market_maker'],
    // Payouts must agree.
    [{ given: score(below), roi: -0.01 }, 'fade_target'],
    [{ given: score(below), roi: 0 }, 'generalist'],
    [{ given: score(below), roi: null }, 'generalist'],
    [{ given: score({ ...below, skill_points: 1 }), roi: -1 }, 'generalist'],
    [{ given: score({ ...below, q_below: 0.11 }), roi: -1 }, 'generalist'],
    // Closes that are not trusted give no archetype.
    [{ given: score({ q: 0.01, is_trusted: false }) }, 'generalist'],
    [{ given: score({ q: 0.01, range: '30d' }) }, 'generalist'],
  ])('case %#', async (of, expected) => {
    expect(await archetype(of)).toBe(expected)
  })

  const bought = (before: number, day: number, share = 60): Given => ({
    'core.entry_trends': [
      { trader_index: 5, seq: 0, stake_usd: share, price_before: before, price_day_before: day, role: 'taker' },
      { trader_index: 5, seq: 1, stake_usd: 99, price_before: before, price_day_before: day, role: 'maker' },
      { trader_index: 5, seq: 2, stake_usd: 100 - share, price_before: null, price_day_before: null },
      { trader_index: 6, seq: 3, stake_usd: 999, price_before: 0.1, price_day_before: 0.9 },
    ],
  })
  const style = { stake_usd: 199, taken_stake_usd: 100 }

  test('a value hunter takes what fell, and is likely to be right', async () => {
    const of = async (trend: Given, clv: Given, role = 'taker') => {
      const { dip_share, archetype: found } = await traitsOf({ style: { ...style, role }, given: { ...trend, ...clv } })
      return [dip_share, found]
    }
    expect(await of(bought(0.49, 0.5), score({ q_wide: 0.2 }))).toEqual([0.6, 'value_hunter'])
    expect(await of(bought(0.49, 0.5, 59), score({ q_wide: 0.2 }))).toEqual([0.59, 'generalist'])
    expect(await of(bought(0.49, 0.5), score({ q_wide: 0.21 }))).toEqual([0.6, 'generalist'])
    expect(await of(bought(0.49, 0.5), score({ q_wide: 0.2, skill_points: 0 }))).toEqual([0.6, 'generalist'])
    expect(await of(bought(0.49, 0.5), score({ q_wide: 0.2 }), 'poster')).toEqual([0.6, 'generalist'])
    expect(await of(bought(0.5, 0.5), score({ q_wide: 0.2 }))).toEqual([0, 'generalist'])
  })

  test('a momentum chaser buys what rose by 5 points', async () => {
    const of = async (trend: Given) => {
      const { rise_share, archetype: found } = await traitsOf({ style, given: trend })
      return [rise_share, found]
    }
    expect(await of(bought(0.55, 0.5))).toEqual([0.6, 'momentum_chaser'])
    expect(await of(bought(0.549999, 0.5))).toEqual([0, 'generalist'])
    expect(await of(bought(0.55, 0.5, 59))).toEqual([0.59, 'generalist'])
  })
})

test.each([
  [{ longshot_share: 0.6 }, 'longshot_hunter'],
  [{ longshot_share: 0.59 }, 'generalist'],
  [{ favorite_share: 0.6 }, 'favorite_backer'],
  [{ favorite_share: 0.59 }, 'generalist'],
])('with %j of the stake: %s', async (style, expected) => {
  expect(await archetype({ style })).toBe(expected)
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
  const style = { longshot_share: 1 }
  const given = {
    'core.trader_markets': [{ trader: 'ann', market_id: 'm', cost_usd: 1 }],
    'core.complete_sets': [{ trader: 'ann', cluster_id: 'm', cost_usd: 1 }],
    'metrics.clv_scores': [
      { trader: 'ann', range: 'all', kind: 'event_start', q: 0.01, skill_points: 1, is_trusted: true },
    ],
  }
  expect(await archetype({ style: { ...style, role: 'market_maker' }, given })).toBe('market_maker')
  expect(await archetype({ style, given })).toBe('arbitrageur')
  const { 'metrics.clv_scores': clv } = given
  expect(await archetype({ style, given: { 'metrics.clv_scores': clv } })).toBe('sharp')
  expect(await archetype({ style })).toBe('longshot_hunter')
})
