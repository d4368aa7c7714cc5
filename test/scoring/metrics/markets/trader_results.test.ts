import { describe, expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
// (clock - 30 x 24 h, clock] and (clock - 90 x 24 h, clock]
const [month, quarter] = ['2026-10-21 12:00:00', '2026-08-22 12:00:00'] as const
const just = (instant: string): string => `${instant}.000001`

const history = (trader: string, more: Row = {}): Row => ({ trader, venue: 'polymarket', is_complete: true, ...more })
const results = async (given: Given, ...columns: string[]) => {
  const rows = await run('metrics.trader_results', { 'core.history_completeness': [history('ann')], ...given })
  return Object.fromEntries(
    rows.map((row) => [
      [row['trader'], row['range']].filter((name) => name !== 'ann').join(' '),
      cut([row], ...columns)[0],
    ]),
  )
}

describe('a result of a window', () => {
  test('holds what was realized in it: its end is in, its beginning is not', async () => {
    const realized = (ts: string, pnl_usd: number): Row => ({ trader: 'ann', ts, pnl_usd, kind: 'sale' })
    const given = {
      'core.realizations': [
        realized(clock, 1),
        realized(just(month), 2),
        realized(month, 4),
        realized(just(quarter), 8),
        realized(quarter, 16),
        realized('2020-01-01', 32.5),
        { ...realized(clock, 64), trader: 'unknown' },
      ],
    }
    expect(await results(given, 'realized_usd')).toEqual({ '30d': [3], '90d': [15], all: [63.5] })
  })

  test('counts the markets traded in it, and the volume with others', async () => {
    const fill = (ts: string, market_id: string, cash_usd: number, is_self = false): Row => ({
      trader: 'ann',
      ts,
      market_id,
      cash_usd,
      is_self,
    })
    const given = {
      'core.fills': [
        fill(clock, 'a', 1),
        fill(just(month), 'a', 2),
        fill(clock, 'b', 4, true),
        fill(month, 'c', 8),
        fill(quarter, 'd', 16),
      ],
    }
    expect(await results(given, 'n_markets', 'volume_usd')).toEqual({ '30d': [2, 3], '90d': [3, 11], all: [4, 27] })
  })

  test('is there for each trader, as zeros without results, with the completeness of the history', async () => {
    const given = { 'core.history_completeness': [history('ann', { untracked_usd: 5, is_complete: false })] }
    const columns = ['realized_usd', 'volume_usd', 'untracked_usd', 'n_markets', 'n_closed', 'n_won', 'is_complete']
    const zeros = [0, 0, 5, 0, 0, 0, false]
    expect(await results(given, ...columns)).toEqual({ '30d': zeros, '90d': zeros, all: zeros })
    expect(await results(given, 'win_rate', 'shrunk_win_rate', 'lower_win_rate')).toMatchObject({ all: [0, 0, 0] })
  })
})

describe('a win rate', () => {
  const life = (closed_at: string | null, pnl_usd: number, more: Row = {}): Row => ({
    trader: 'ann',
    market_id: `${closed_at} ${pnl_usd}`,
    closed_at,
    pnl_usd,
    cost_usd: 1,
    ...more,
  })

  test('is of the markets that closed in the window, by the result of their whole life', async () => {
    const given = {
      'core.trader_markets': [
        life(clock, 1),
        life(just(month), -1),
        life(month, 0.000001),
        life(just(quarter), 0),
        life(quarter, 5),
        life(null, 5),
      ],
    }
    expect(await results(given, 'n_closed', 'n_won', 'win_rate')).toEqual({
      '30d': [2, 1, 0.5],
      '90d': [4, 2, 0.5],
      all: [5, 3, 0.6],
    })
  })

  test('leaves out markets in which less than a dollar was paid', async () => {
    const given = { 'core.trader_markets': [life(clock, 9, { cost_usd: 0.999999 }), life(clock, -1)] }
    expect(await results(given, 'n_closed', 'n_won')).toMatchObject({ all: [1, 0] })
  })

  const won = (trader: string, n_won: number, n_closed: number): Row[] =>
    Array.from({ length: n_closed }, (_, n) => life(clock, n < n_won ? 1 : -1, { trader, market_id: `${trader}${n}` }))

  test('has a lower bound by Wilson, at 95 %', async () => {
    // Solves |p - k/n| = z sqrt(p (1 - p) / n) for p, by halving.
    const wilson = (k: number, n: number): number => {
      let [low, high] = [0, k / n]
      for (let i = 0; i < 100; i++) {
        const p = (low + high) / 2
        if (k / n - p > 1.959964 * Math.sqrt((p * (1 - p)) / n)) low = p
        else high = p
      }
      return low
    }
    const traders: [string, number, number][] = [
      ['ann', 7, 10],
      ['bob', 1, 1],
      ['cid', 0, 3],
      ['dan', 80, 80],
      ['eve', 48, 59],
    ]
    const rows = await run('metrics.trader_results', {
      'core.history_completeness': traders.map(([trader]) => history(trader)),
      'core.trader_markets': traders.flatMap(([trader, k, n]) => won(trader, k, n)),
    })
    const all = rows.filter(({ range }) => range === 'all')
    expect(all.map(({ trader }) => trader)).toEqual(traders.map(([trader]) => trader))
    for (const [n, [, k, of]] of traders.entries()) expect(all[n]?.['lower_win_rate']).toBeCloseTo(wilson(k, of), 6)
    // As the tables have it for 7 of 10.
    expect(all[0]?.['lower_win_rate']).toBeCloseTo(0.39678, 5)
  })

  test('is shrunk towards that of all traders, which counts as ten markets', async () => {
    const rows = await results(
      {
        'core.history_completeness': [history('ann'), history('bob')],
        'core.trader_markets': [...won('ann', 3, 4), ...won('bob', 9, 36)],
      },
      'shrunk_win_rate',
    )
    // All: 12 of 40, a share of 0.3.
    expect(rows['all']).toEqual([0.428571])
    expect(rows['bob all']).toEqual([0.26087])
  })
})
