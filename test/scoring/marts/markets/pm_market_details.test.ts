import { describe, expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const states = [
  { market_id: 'm', event_id: 'e', n_outcomes: 2, created_at: '2026-11-01', category: 'sports' },
  { market_id: 'three', event_id: 'e', n_outcomes: 3 },
]
const outcomes = [
  { market_id: 'm', outcome: 0, token_id: 'yes', label: 'Yes', payout: 1 },
  { market_id: 'm', outcome: 1, token_id: 'no', label: 'No', payout: 0 },
]

describe('marts.pm_market_hours', () => {
  test('have the book before trades, and trades before the figure of the venue', async () => {
    const odds = (ts: string, more: object) => ({ market_id: 'm', ts, ...more })
    const bar = (market_id: string, hour_at: string, outcome: number, close_usd: number) => ({
      market_id,
      outcome,
      hour_at,
      close_usd,
      n_matches: 2,
      volume_usd: 5.004,
    })
    const rows = await run('marts.pm_market_hours', {
      'core.market_states': states,
      'core.odds': [
        odds('2026-11-19 01:10:00', { bid: 0.2, ask: 0.22, mid: 0.21, shown: 0.9 }),
        odds('2026-11-19 01:50:00', { bid: 0.3, ask: null, mid: null, shown: 0.8 }),
        odds('2026-11-19 02:10:00', { shown: 0.7 }),
        odds('2026-10-01 02:10:00', { mid: 0.5 }),
      ],
      'core.bars_1h': [
        bar('m', '2026-11-19 01:00:00', 0, 0.6),
        bar('m', '2026-11-19 03:00:00', 0, 0.6),
        bar('m', '2026-11-19 03:00:00', 1, 0.3),
        bar('m', '2026-11-19 04:00:00', 1, 0.3),
        bar('three', '2026-11-19 04:00:00', 1, 0.3),
      ],
    })
    const hour = (n: number) => `2026-11-19 0${n}:00:00`
    expect(cut(rows, 'market_id', 'hour_at', 'yes_price', 'bid', 'ask', 'volume', 'n_matches')).toEqual([
      ['m', hour(1), 0.21, 0.3, null, 5, 2],
      ['m', hour(2), 0.7, null, null, 0, 0],
      ['m', hour(3), 0.6, null, null, 10.01, 4],
      ['m', hour(4), 0.7, null, null, 5, 2],
      ['three', hour(4), null, null, null, 5, 2],
    ])
  })
})

const position = (trader: string, outcome: number, size: number) => ({
  trader,
  market_id: 'm',
  outcome,
  size,
  cost_usd: 1.005,
})

describe('holders', () => {
  const held = [position('0xa', 0, 5), position('0xb', 0, 9), position('0xc', 0, 0.009), position('0xb', 1, 2)]
  const given = { 'core.positions': held, 'metrics.signal_traders': [{ trader: '0xb' }] }
  const traits = (traders: string[]) => ({
    'metrics.trader_traits': traders.map((trader) => ({ trader, archetype: 'sharp' })),
  })

  test('of each outcome stand by their shares in marts.pm_market_holders', async () => {
    const rows = await run('marts.pm_market_holders', { ...given, ...traits(['0xa', '0xb', '0xc']) })
    expect(cut(rows, 'outcome', 'rank', 'address', 'size', 'cost', 'archetype', 'is_proven')).toEqual([
      [0, 1, '0xb', 9, 1.01, 'sharp', true],
      [0, 2, '0xa', 5, 1.01, 'sharp', false],
      [1, 1, '0xb', 2, 1.01, 'sharp', true],
    ])
  })

  test('are 50 at most for an outcome', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `0x${n}`)
    const rows = await run('marts.pm_market_holders', {
      'core.positions': many.map((trader, n) => position(trader, 0, n + 1)),
      ...traits(many),
    })
    expect([rows.length, rows.at(-1)?.['size']]).toEqual([50, 11])
  })

  test('are summed in marts.pm_market_outcomes, the proven ones apart', async () => {
    const rows = await run('marts.pm_market_outcomes', {
      ...given,
      'core.market_states': states,
      'core.outcomes': outcomes,
    })
    expect(cut(rows, 'outcome', 'label', 'category', 'payout', 'n_holders', 'size', 'n_proven', 'size_proven')).toEqual(
      [
        [0, 'Yes', 'sports', 1, 2, 14, 1, 9],
        [1, 'No', 'sports', 0, 1, 2, 1, 2],
      ],
    )
  })
})

describe('marts.pm_market_fills', () => {
  test('are the last 100 matches of 30 days, each once', async () => {
    const match = (seq: number, more: object = {}) => ({
      venue: 'polymarket',
      market_id: 'm',
      token_id: 'no',
      ts: '2026-11-19',
      tx: `0x${100 + seq}`,
      trader: '0xa',
      side: 'buy',
      price: 0.4,
      size: 2,
      seq,
      role: 'taker',
      ...more,
    })
    const rows = await run('marts.pm_market_fills', {
      'core.outcomes': outcomes,
      'staging.tape': [
        ...Array.from({ length: 102 }, (_, seq) => match(seq)),
        match(200, { role: 'maker' }),
        match(201, { trader: '0xexchange' }),
        match(202, { ts: '2026-10-01' }),
        match(203, { role: 'block', trader: '', ts: '2026-11-20', cash_usd: 0.85 }),
      ],
      'staging.system_addresses': [{ address: '0xexchange' }],
    })
    expect(rows).toHaveLength(100)
    expect(cut(rows, 'rank', 'tx', 'address', 'label', 'role', 'cash').slice(0, 2)).toEqual([
      [1, '0x303', null, 'No', 'block', 0.85],
      [2, '0x201', '0xa', 'No', 'taker', 0.8],
    ])
  })
})
