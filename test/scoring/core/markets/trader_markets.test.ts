import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const position = (more: Row = {}): Row => ({ trader: 'ann', market_id: 'm', outcome: 0, ...more })
const realized = (kind: string, ts: string, size = 5, more: Row = {}): Row => ({
  trader: 'ann',
  market_id: 'm',
  outcome: 0,
  kind,
  ts,
  size,
  ...more,
})
const [day1, day2, day3, resolvedAt] = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'].map(
  (day) => `${day} 00:00:00`,
) as [string, string, string, string]

const lives = (given: Given, isResolved: boolean) =>
  run('core.trader_markets', {
    'core.ledger_markets': [
      { market_id: 'm', venue: 'polymarket', event_id: 'e', ...(isResolved ? { resolved_at: resolvedAt } : {}) },
    ],
    ...given,
  })

describe('a market is closed for a trader', () => {
  const closed = async (positions: Row[], realizations: Row[], isResolved = false) =>
    cut(
      await lives({ 'core.positions': positions, 'core.realizations': realizations }, isResolved),
      'closed_at',
    )[0]?.[0]

  test('when it resolves while shares are held', async () => {
    const steps = [realized('sale', day1), realized('resolution', resolvedAt, 0.01)]
    expect(await closed([position({ size: 0.01 })], steps, true)).toBe(resolvedAt)
  })

  test('with the last sale of who was out before it resolved', async () => {
    const steps = [realized('sale', day2), realized('sale', day1)]
    expect(await closed([position()], steps, true)).toBe(day2)
    // The rest of the position was dust.
    const dust = [...steps, realized('resolution', resolvedAt, 0.009999)]
    expect(await closed([position({ size: 0.009999 })], dust, true)).toBe(day2)
  })

  test('with the last sale of who is out of it while it goes on: below 0.01 share of every outcome', async () => {
    const steps = [realized('sale', day1), realized('merge', day2), realized('sale', day2, 5, { outcome: 1 })]
    expect(await closed([position({ size: 0.009999 }), position({ outcome: 1 })], steps)).toBe(day2)
    expect(await closed([position({ size: 0.01 }), position({ outcome: 1 })], steps)).toBeNull()
    expect(await closed([position(), position({ outcome: 1, size: 7 })], steps)).toBeNull()
  })

  test('by merges and conversions as by sales, but not by what comes after the resolution', async () => {
    expect(await closed([position()], [realized('conversion', day3)])).toBe(day3)
    const late = [realized('merge', day1), realized('redemption', '2026-03-05'), realized('sale', '2026-03-05')]
    expect(await closed([position()], late, true)).toBe(day1)
  })

  test('by the resolution where no sale was ever seen', async () => {
    expect(await closed([position()], [], true)).toBe(resolvedAt)
    expect(await closed([position()], [])).toBeNull()
  })
})

describe("a trader's life in a market", () => {
  test('sums all outcomes: what was paid in, what came of it, and what was traded with others', async () => {
    const traded = (cash_usd: number, role: string | null, is_self = false) => ({
      side: cash_usd < 8 ? 'buy' : 'sell',
      size: 10,
      trader: 'ann',
      market_id: 'm',
      cash_usd,
      role,
      is_self,
    })
    const rows = await lives(
      {
        'core.positions': [
          position({ bought_usd: 10.5, realized_usd: -3, first_at: day2, last_at: day2, is_complete: true }),
          position({ outcome: 1, bought_usd: 2, realized_usd: 4.25, first_at: day1, last_at: day3, is_complete: true }),
          position({ trader: 'bob', bought_usd: 1, is_complete: true }),
          position({ trader: 'bob', outcome: 1, is_complete: false }),
        ],
        'core.fills': [
          traded(1, 'maker'),
          traded(2, 'taker'),
          traded(4, null),
          traded(8, 'maker', true),
          traded(16, 'taker', true),
        ],
      },
      false,
    )
    expect(rows).toEqual([
      {
        trader: 'ann',
        market_id: 'm',
        venue: 'polymarket',
        event_id: 'e',
        n_fills: 5,
        cost_usd: 12.5,
        pnl_usd: 1.25,
        volume_usd: 7,
        maker_usd: 1,
        entry_price: 0.233333,
        first_at: day1,
        last_at: day3,
        closed_at: null,
        is_complete: true,
        trader_index: 0,
      },
      expect.objectContaining({ trader: 'bob', n_fills: 0, volume_usd: 0, maker_usd: 0, is_complete: false }),
    ])
  })
})
