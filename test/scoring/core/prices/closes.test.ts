import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const starts_at = '2026-11-01 18:00:00'
const market = (more: Row = {}): Row => ({
  market_index: 1,
  market_id: 'm',
  venue: 'polymarket',
  n_outcomes: 2,
  starts_at,
  starts_by: 'gameStartTime',
  ...more,
})
const print = (ts: string, size: number, cash_usd: number, outcome = 0): Row => ({
  market_index: 1,
  outcome,
  ts,
  n_matches: 1,
  size,
  cash_usd,
})
const closes = (given: Given, of: Row = market()) =>
  run('core.closes', {
    'core.ledger_markets': [of],
    'core.outcomes': Array.from({ length: Number(of['n_outcomes']) }, (_, outcome) => ({ market_id: 'm', outcome })),
    ...given,
  })

describe('a close', () => {
  test('is what was traded in the quarter of an hour before the start, its ends included', async () => {
    const rows = await closes({
      'core.prints': [
        print('2026-11-01 17:44:59.999999', 1000, 1000),
        print('2026-11-01 17:45:00', 10, 6),
        print('2026-11-01 17:50:00', 20, 13),
        print(starts_at, 5, 3.5),
        print('2026-11-01 18:00:00.000001', 1000, 1000),
        { ...print(starts_at, 1000, 1000), market_index: 2 },
      ],
    })
    expect(cut(rows, 'outcome', 'opens_at', 'close_at', 'cash_usd', 'size', 'n_fills')).toEqual([
      [0, '2026-11-01 17:45:00', starts_at, 22.5, 35, 3],
      [1, '2026-11-01 17:45:00', starts_at, 12.5, 35, 3],
    ])
  })

  test('counts its takers once each', async () => {
    const by = (trader_index: number, size: number): Row => ({ ...print(starts_at, size, size / 2), trader_index })
    const rows = await closes({
      'core.prints': [
        by(1, 5),
        { ...by(1, 5), ts: '2026-11-01 17:50:00' },
        by(2, 5),
        by(3, 0),
        { ...by(4, 5), ts: '2026-11-01 17:44:00' },
      ],
    })
    expect(cut(rows, 'n_takers')).toEqual([[2], [2]])
  })

  test('of one of several outcomes is of that outcome alone', async () => {
    const rows = await closes(
      { 'core.prints': [print(starts_at, 10, 6), print(starts_at, 10, 3, 2)] },
      market({ n_outcomes: 3 }),
    )
    expect(cut(rows, 'outcome', 'cash_usd', 'size')).toEqual([
      [0, 6, 10],
      [1, 0, 0],
      [2, 3, 10],
    ])
  })

  test('is there only when it has come, and only where a start is known', async () => {
    expect(await closes({}, market({ starts_at: '2026-11-20 12:00:00.000001' }))).toEqual([])
    expect(await closes({}, market({ starts_at: null }))).toEqual([])
    expect(await closes({}, market({ starts_at: '2026-11-20 12:00:00' }))).toHaveLength(2)
  })

  test('is hindsight where the lake has no announcement of the start from before it', async () => {
    const seen = async (...markets: Row[]) =>
      (await closes({ 'lake.markets': markets.map((row) => ({ market_id: 'm', ...row })) }))[0]?.['is_hindsight']
    expect(await seen({ seen_at: '2026-10-01', starts_at })).toBe(false)
    expect(await seen({ seen_at: '2026-11-01 18:00:01', starts_at })).toBe(true)
    // Another start was announced, and this one afterwards.
    const before = { seen_at: '2026-10-01', starts_at: '2026-11-01 17:00:00' }
    expect(await seen(before, { seen_at: '2026-11-02', starts_at })).toBe(true)
    expect(await seen()).toBe(true)
  })
})

describe('a midpoint at the close', () => {
  const mids = async (odds: Row[], looks: string[] = []) => {
    const coverage = looks.map((from_at) => ({
      dataset: 'quotes',
      unit: from_at,
      part: 'polymarket',
      state: 'done',
      from_at,
    }))
    const rows = await closes({
      'core.odds': odds.map((row) => ({ market_id: 'm', ...row })),
      'lake.coverage': coverage,
    })
    return rows.map(({ mid }) => mid)
  }

  test('is the last one at or before it, of the quarter of an hour', async () => {
    const odds = [
      { ts: '2026-11-01 17:45:00', mid: 0.6 },
      { ts: starts_at, mid: 0.61 },
      { ts: '2026-11-01 18:00:01', mid: 0.9 },
    ]
    expect(await mids(odds)).toEqual([0.61, 0.39])
    expect(await mids(odds.slice(0, 1))).toEqual([0.6, 0.4])
  })

  test('may be older where the venue was looked at since and nothing had changed', async () => {
    const odds = [{ ts: '2026-11-01 12:00:00', mid: 0.6 }]
    expect(await mids(odds)).toEqual([null, null])
    expect(await mids(odds, ['2026-11-01 17:44:59'])).toEqual([null, null])
    expect(await mids(odds, ['2026-11-01 17:45:00'])).toEqual([0.6, 0.4])
    expect(await mids(odds, ['2026-11-01 18:00:01'])).toEqual([null, null])
  })

  test('is of before the resolution: from there on a book shows the payout', async () => {
    const rows = await closes(
      {
        'core.odds': [
          { market_id: 'm', ts: '2026-11-01 17:50:00', mid: 0.6 },
          { market_id: 'm', ts: '2026-11-01 17:55:00', mid: 0.99 },
        ],
      },
      market({ resolved_at: '2026-11-01 17:55:00' }),
    )
    expect(rows.map(({ mid }) => mid)).toEqual([0.6, 0.4])
  })

  test('is none where the book was too wide for one', async () => {
    expect(await mids([{ ts: '2026-11-01 17:50:00', mid: null }])).toEqual([null, null])
  })
})
