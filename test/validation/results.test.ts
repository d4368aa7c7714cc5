import { describe, expect, it } from 'vitest'

import { clock, type Given } from '#test/scoring/model.ts'

import { select } from './select.ts'

const from = '2026-11-01 00:00:00'
type Row = Given[string][number]

describe('the realized closing line value', () => {
  const fill = (row: Row): Row => ({ trader: 'ann', kind: 'event_start', ts: '2026-11-05', left_out: null, ...row })
  const realized = (fills: Row[]) =>
    select('realized_clv', { 'metrics.clv_fills': fills.map((row, seq) => ({ seq, ...row })) }, from)

  it('is weighted by what was at risk, within an event and among events', async () => {
    const rows = await realized([
      fill({ event_id: 'a', edge_points: 4, risk_usd: 30 }),
      fill({ event_id: 'a', edge_points: -2, risk_usd: 10 }),
      fill({ event_id: 'b', edge_points: 1, risk_usd: 40 }),
    ])
    // Event a: (4 x 30 - 2 x 10) / 40 = 2.5; both events weigh 40.
    expect(rows).toEqual([{ trader: 'ann', kind: 'event_start', realized_points: 1.75, n_events: 2, n_fills: 3 }])
  })

  it("limits the weight of an event to the trader's 95th percentile", async () => {
    const fills = Array.from({ length: 20 }, (_, index) =>
      fill({ event_id: `e${index}`, edge_points: 0, risk_usd: 10 }),
    )
    const [row] = await realized([...fills, fill({ event_id: 'big', edge_points: 21, risk_usd: 1_000_000 })])
    // Of 21 risks the 95th percentile is at place 0.95 x 20 = 19 of the sorted ones: 10.
    expect(row?.['realized_points']).toBeCloseTo(1, 9)
  })

  it('is of fills after the start of the period, by trader and kind, without those that are left out', async () => {
    const rows = await realized([
      fill({ event_id: 'a', edge_points: 9, risk_usd: 10, ts: from }),
      fill({ event_id: 'a', edge_points: 3, risk_usd: 10, ts: '2026-11-01 00:00:00.000001' }),
      fill({ event_id: 'a', edge_points: 5, risk_usd: 10, kind: 'markout_24h' }),
      fill({ event_id: 'b', edge_points: null, risk_usd: 10, left_out: 'no_close' }),
      fill({ event_id: 'b', edge_points: -1, risk_usd: 10, trader: 'bob' }),
      fill({ event_id: 'c', edge_points: -1, risk_usd: 0, trader: 'cid' }),
    ])
    expect(rows.map(({ trader, kind, realized_points }) => [trader, kind, realized_points])).toEqual([
      ['ann', 'event_start', 3],
      ['ann', 'markout_24h', 5],
      ['bob', 'event_start', -1],
    ])
  })
})

describe('the returns', () => {
  const life = (row: Row): Row => ({ trader: 'ann', first_at: '2026-11-02', cost_usd: 100, pnl_usd: 10, ...row })
  const returns = (lives: Row[], incomplete: string[] = []) =>
    select(
      'returns',
      {
        'core.trader_markets': lives,
        'core.markets': [
          { market_id: 'over', resolved_at: '2026-11-10' },
          { market_id: 'done', resolved_at: '2026-11-11' },
          { market_id: 'open', resolved_at: null },
        ],
        'core.history_completeness': ['ann', 'bob'].map((trader) => ({
          trader,
          is_complete: !incomplete.includes(trader),
        })),
      },
      from,
    )

  it('are of the markets that were entered in the period and have resolved', async () => {
    expect(
      await returns([
        life({ market_id: 'over' }),
        life({ market_id: 'done', cost_usd: 50, pnl_usd: -25 }),
        life({ market_id: 'open', pnl_usd: 1000 }),
        life({ market_id: 'over', trader: 'bob', first_at: from }),
      ]),
    ).toEqual([{ trader: 'ann', n_markets: 2, cost_usd: 150, pnl_usd: -15 }])
  })

  it('are not of those whose history has gaps, nor of less than a dollar', async () => {
    const lives = [life({ market_id: 'over' }), life({ market_id: 'over', trader: 'bob', cost_usd: 0.99 })]
    expect((await returns(lives)).map(({ trader }) => trader)).toEqual(['ann'])
    expect(await returns(lives, ['ann'])).toEqual([])
  })
})

describe('the reach', () => {
  const market = (key: string, row: Row = {}): Row => ({
    market_id: `polymarket:${key}`,
    venue: 'polymarket',
    created_at: '2026-10-01',
    ...row,
  })
  const stretch = (key: string, from_at: string, to_at: string): Row => ({
    dataset: 'fills',
    part: 'polymarket',
    source: key,
    key,
    from_at,
    to_at,
  })
  const reach = async (markets: Row[], stretches: Row[]) => {
    const [row] = await select('reach', { 'core.markets': markets, 'staging.coverage_intervals': stretches }, from)
    return [row?.['n_markets'], row?.['n_covered']]
  }
  const end = clock

  it('is to the end of the period, or of the market', async () => {
    const markets = [market('a'), market('b'), market('c', { closed_at: '2026-11-05' }), market('d')]
    const read = [
      stretch('a', '2026-10-01', end),
      stretch('b', '2026-10-01', '2026-11-19'),
      stretch('c', '2026-10-01', '2026-11-05'),
      stretch('d', '2026-11-02', end),
    ]
    expect(await reach(markets, read)).toEqual([4, 2])
  })

  it('is of venues that name their traders', async () => {
    const anonymous = market('k', { market_id: 'kalshi:k', venue: 'kalshi' })
    expect(await reach([market('a'), anonymous], [stretch('a', '2026-10-01', end)])).toEqual([1, 1])
  })

  it('may be by a feed, from where the own reading ends', async () => {
    const markets = [market('a'), market('new', { created_at: '2026-11-10' }), market('late')]
    const read = [
      stretch('a', '2026-10-01', '2026-11-03'),
      stretch('late', '2026-10-01', '2026-11-01'),
      stretch('', '2026-11-02', end),
    ]
    expect(await reach(markets, read)).toEqual([3, 2])
  })

  it('ignores markets that ended before the period or began after it', async () => {
    const markets = [
      market('over', { closed_at: '2026-10-20' }),
      market('paid', { resolved_at: '2026-10-20' }),
      market('next', { created_at: '2026-11-21' }),
    ]
    expect(await reach(markets, [])).toEqual([0, 0])
  })
})
