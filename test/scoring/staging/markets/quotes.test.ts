import { describe, expect, test } from 'vitest'

import { clock, cut, run } from '#test/scoring/model.ts'

const after = '2026-11-20 12:00:00.000001'

describe('quotes', () => {
  test('are what was seen up to the clock', async () => {
    const rows = [clock, after].map((ts) => ({ market_id: 'polymarket:a', ts, bid: 0.4 }))
    expect(cut(await run('staging.quotes', { 'lake.quotes': rows }), 'ts', 'bid', 'ask')).toEqual([[clock, 0.4, null]])
  })

  test('count once where two sources report the same instant: as the preferred one does', async () => {
    const quote = (source: string, bid: number, more: Record<string, string | number> = {}) => ({
      market_id: 'polymarket:a',
      ts: clock,
      source,
      bid,
      ...more,
    })
    const covered = (source: string, precedence: number, dataset = 'quotes') => ({ dataset, source, precedence })
    const rows = [
      quote('markets', 0.1),
      quote('odds', 0.2),
      quote('markets', 0.3, { ts: '2026-11-20 11:55:00' }),
      quote('markets', 0.4, { market_id: 'polymarket:b' }),
      quote('markets', 0.5, { period_s: 60 }),
    ]
    const coverage = [covered('markets', 20), covered('odds', 30), covered('markets', 40, 'markets')]
    const counted = await run('staging.quotes', { 'lake.quotes': rows, 'staging.precedences': coverage })
    expect(cut(counted, 'bid').flat()).toEqual([0.3, 0.2, 0.5, 0.4])
    expect(
      await run('staging.quotes', { 'lake.quotes': rows.slice(2), 'staging.precedences': coverage.slice(0, 1) }),
    ).toHaveLength(3)
  })
})
