import { describe, expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const market = (id: string, more: object = {}) => ({
  market_id: id,
  question: `Will ${id}?`,
  n_outcomes: 2,
  resolved_at: null,
  ...more,
})
const labels = ['m', 'n'].flatMap((market_id) => [
  { market_id, outcome: 0, label: 'Yes' },
  { market_id, outcome: 1, label: 'No' },
])

describe('marts.pm_wallet_categories', () => {
  test('are the exposures of a trader, in cents', async () => {
    const rows = await run('marts.pm_wallet_categories', {
      'metrics.trader_categories': [
        {
          trader: '0xa',
          category: 'sports',
          n_markets: 3,
          n_closed: 2,
          cost_usd: 9.005,
          pnl_usd: -1.236,
          cost_share: 0.9,
        },
        { trader: '0xa', category: '', n_markets: 1, n_closed: 0, cost_usd: 1, pnl_usd: 0, cost_share: 0.1 },
      ],
    })
    expect(cut(rows, 'category', 'n_markets', 'n_closed', 'cost', 'pnl', 'cost_share')).toEqual([
      ['', 1, 0, 1, 0, 0.1],
      ['sports', 3, 2, 9.01, -1.24, 0.9],
    ])
  })
})

describe('marts.pm_wallet_positions', () => {
  test('are the shares in open markets at the odds of their outcome', async () => {
    const position = (market_id: string, outcome: number, size: number) => ({
      trader: '0xa',
      market_id,
      outcome,
      size,
      cost_usd: 4.006,
      last_at: '2026-11-01',
    })
    const rows = await run('marts.pm_wallet_positions', {
      'core.positions': [
        position('m', 0, 10),
        position('m', 1, 10),
        position('n', 1, 0.009),
        position('three', 1, 10),
        position('dark', 0, 10),
        position('over', 0, 10),
      ],
      'core.markets': [
        market('m'),
        market('n'),
        market('three', { n_outcomes: 3 }),
        market('dark'),
        market('over', { resolved_at: '2026-11-02' }),
      ],
      'core.outcomes': labels,
      'metrics.market_odds': [
        { market_id: 'm', yes_price: 0.625, yes_method: 'mid' },
        { market_id: 'three', yes_price: 0.2, yes_method: 'mid' },
        { market_id: 'dark', yes_price: null, yes_method: 'none' },
      ],
    })
    expect(cut(rows, 'market_id', 'outcome', 'label', 'price', 'cost', 'value')).toEqual([
      ['dark', 0, '', null, 4.01, null],
      ['m', 0, 'Yes', 0.625, 4.01, 6.25],
      ['m', 1, 'No', 0.375, 4.01, 3.75],
      // The price of a third outcome does not follow from that of the first.
      ['three', 1, '', null, 4.01, null],
    ])
  })
})

describe('marts.pm_wallet_fills', () => {
  test('are the last 200 of 30 days, the newest first', async () => {
    const fill = (trader: string, ts: string, seq = 0) => ({
      trader,
      market_id: 'm',
      outcome: 1,
      ts,
      seq,
      tx: `0x${seq}`,
      side: 'sell',
      role: 'maker',
      price: 0.4,
      size: 2,
      cash_usd: 0.8,
      fee_usd: 0.00001,
    })
    const rows = await run('marts.pm_wallet_fills', {
      'core.fills': [
        ...Array.from({ length: 203 }, (_, seq) => fill('0xa', '2026-11-19', seq)),
        fill('0xb', '2026-10-21 12:00:00'),
        fill('0xb', '2026-10-21 12:00:01', 7),
      ],
      'core.markets': [market('m')],
      'core.outcomes': labels,
    })
    expect(rows).toHaveLength(201)
    expect(cut(rows, 'address', 'rank', 'tx', 'label')[0]).toEqual(['0xa', 1, '0x202', 'No'])
    expect(cut(rows, 'address', 'rank', 'question', 'ts', 'cash', 'fee').at(-1)).toEqual([
      '0xb',
      1,
      'Will m?',
      '2026-10-21 12:00:01',
      0.8,
      0.00001,
    ])
  })
})
