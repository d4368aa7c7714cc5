import { describe, expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

describe('pm_wallet_markets', () => {
  test('are the lives behind a profile, in cents, each with its question', async () => {
    const rows = await run('marts.pm_wallet_markets', {
      'core.trader_markets': [
        { trader: '0xa', market_id: 'm', cost_usd: 1.005, pnl_usd: -0.005, volume_usd: 7, last_at: '2026-03-01' },
        { trader: '0xa', market_id: 'unknown' },
      ],
      'core.markets': [{ market_id: 'm', question: 'Will it?' }],
    })
    expect(cut(rows, 'address', 'market_id', 'question', 'cost', 'pnl', 'volume', 'last_at', 'closed_at')).toEqual([
      ['0xa', 'm', 'Will it?', 1.01, -0.01, 7, '2026-03-01 00:00:00', null],
    ])
  })
})
