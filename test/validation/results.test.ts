import { describe, expect, it } from 'vitest'

import { clock, type Given } from '#test/scoring/model.ts'

import { select } from './select.ts'

const from = '2026-11-01 00:00:00'
type Row = Given[string][number]

describe('the clusters', () => {
  const fill = (row: Row): Row => ({
    trader: 'ann',
    kind: 'event_start',
    ts: '2026-11-05',
    category: 'sports',
    close_at: '2026-11-06 18:00:00',
    market_id: 'm',
    outcome: 0,
    side: 'buy',
    size: 100,
    risk_usd: 40,
    edge_points: 5,
    left_out: null,
    ...row,
  })
  const clusters = async (fills: Row[], payout: number | null = 1) =>
    (
      await select(
        'clusters',
        {
          'metrics.clv_fills': fills.map((row, seq) => ({ seq, ...row })),
          'core.outcomes': [
            { market_id: 'm', outcome: 0, payout },
            { market_id: 'open', outcome: 0, payout: null },
          ],
        },
        from,
      )
    ).map((row) => [row['kind'], row['payout_points'], row['payout_risk_usd'], row['clv_points'], row['clv_risk_usd']])

  it('are the payout and the close above the price paid, by what was at risk', async () => {
    // Bought at 0.4: 60 points; at 0.8: 20 points. (60 x 40 + 20 x 80) / 120; closes (5 x 40 - 1 x 80) / 120.
    const rows = [fill({}), fill({ risk_usd: 80, edge_points: -1 })]
    expect(await clusters(rows)).toEqual([['event_start', expect.closeTo(4000 / 120, 9), 120, 1, 120]])
    // Sold at 0.6: a payout of 1 loses 40 points, one of 0 gains 60.
    expect(await clusters([fill({ side: 'sell' })])).toEqual([['event_start', -40, 40, 5, 40]])
    expect(await clusters([fill({ side: 'sell' })], 0)).toEqual([['event_start', 60, 40, 5, 40]])
  })

  it('have the payout of fills without a close, and the close of markets without a payout', async () => {
    const rows = [
      fill({ left_out: 'no_close', edge_points: null }),
      fill({ market_id: 'open', kind: 'markout_24h' }),
      fill({ left_out: 'in_play', edge_points: null, risk_usd: 1000 }),
    ]
    expect(await clusters(rows)).toEqual([
      // The helper reads null as 0; the risk beside it says that there is none.
      ['event_start', 60, 40, 0, 0],
      ['markout_24h', 0, 0, 5, 40],
    ])
  })

  it('are of fills after the start of the period, by category and day', async () => {
    const rows = [
      fill({ ts: from }),
      fill({ ts: '2026-11-01 00:00:00.000001' }),
      fill({ category: 'crypto' }),
      fill({ close_at: '2026-11-07 18:00:00' }),
    ]
    expect(await clusters(rows)).toHaveLength(3)
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
