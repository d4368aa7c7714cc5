import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const ts = '2026-11-01 10:00:00'
const [opens, closes_at] = ['2026-11-02 09:00:00', '2026-11-02 11:00:00']
const tick = (ts_: string, size: number, cash_usd: number): Row => ({
  market_index: 1,
  outcome: 0,
  ts: ts_,
  size,
  cash_usd,
})
const own = (ts_: string, own_size: number, own_usd: number): Row => ({
  market_index: 1,
  outcome: 0,
  ts: ts_,
  trader_index: 5,
  own_size,
  own_usd,
})
const fill = (more: Row = {}): Row => ({
  trader: 'ann',
  trader_index: 5,
  event_id: 'e',
  ts,
  market_id: 'm',
  market_index: 1,
  outcome: 0,
  seq: 0,
  ...more,
})
const markouts = async (given: Given, market: Row = {}, at?: string) =>
  run(
    'core.markouts',
    {
      'core.fills': [fill()],
      'core.ledger_markets': [{ market_index: 1, market_id: 'm', venue: 'polymarket', n_outcomes: 2, ...market }],
      ...given,
    },
    at,
  )

describe('a markout', () => {
  test('is what others traded from 23 to 25 hours after the fill, ends included', async () => {
    // Ticks add up: 7 shares before the window, 10 at its beginning, 20 within, 30 at its end, 1000 after.
    const ticks = [
      tick(ts, 2, 1),
      tick('2026-11-02 08:59:59.999999', 7, 4),
      tick(opens, 17, 10),
      tick('2026-11-02 10:00:00', 37, 22),
      tick(closes_at, 67, 43),
      tick('2026-11-02 11:00:00.000001', 1067, 900),
      { ...tick('2026-11-02 10:00:00', 999, 999), market_index: 2 },
    ]
    expect(
      cut(await markouts({ 'core.cumulative_trades': ticks }), 'trader_index', 'ts', 'seq', 'size', 'cash_usd'),
    ).toEqual([[5, ts, 0, 60, 39]])
    const prints = [
      own('2026-11-02 08:59:59', 3, 2),
      own(opens, 5, 3),
      own(closes_at, 10, 6),
      own('2026-11-02 11:00:01', 99, 9),
      { ...own(opens, 50, 30), trader_index: 6 },
    ]
    expect(cut(await markouts({ 'core.cumulative_trades': ticks, 'core.prints': prints }), 'size', 'cash_usd')).toEqual(
      [[45, 30]],
    )
    const second = { 'core.cumulative_trades': ticks, 'core.prints': prints, 'core.fills': [fill({ outcome: 1 })] }
    expect(cut(await markouts(second), 'outcome', 'size', 'cash_usd')).toEqual([[1, 45, 15]])
  })

  test('is 0 without a trade', async () => {
    expect(cut(await markouts({}), 'size', 'cash_usd', 'mid')).toEqual([[0, 0, null]])
  })

  test('is there when its window is over, and neither a start nor a resolution can be in it', async () => {
    const count = async (market: Row, at?: string) => (await markouts({}, market, at)).length
    expect(await count({}, closes_at)).toBe(1)
    expect(await count({}, '2026-11-02 10:59:59')).toBe(0)
    expect(await count({ starts_at: closes_at })).toBe(0)
    expect(await count({ starts_at: '2026-11-02 11:00:01' })).toBe(1)
    expect(await count({ resolved_at: ts })).toBe(0)
    expect(await count({ resolved_at: '2026-11-01 10:00:01' })).toBe(1)
  })

  test('of a market that resolves before its window is over is of the two hours before the resolution', async () => {
    const ticks = [
      tick('2026-11-01 17:59:59', 7, 4),
      tick('2026-11-01 18:00:00', 17, 10),
      tick('2026-11-01 19:59:59', 37, 22),
    ]
    const given = { 'core.cumulative_trades': ticks }
    const of = async (resolved_at: string, at?: string) =>
      cut(await markouts(given, { resolved_at }, at), 'close_at', 'size', 'is_resolved')
    const resolved = '2026-11-01 20:00:00'
    expect(await of(resolved)).toEqual([[resolved, 30, true]])
    expect(await of(closes_at)).toEqual([[closes_at, 0, true]])
    expect(await of('2026-11-02 11:00:01')).toEqual([['2026-11-02 10:00:00', 0, false]])
    // The markout is known as late as without the resolution. Else the newest fills would be those of resolved markets.
    expect(await of(resolved, '2026-11-02 10:59:59')).toEqual([])
  })

  test('has takers where three others took in its window', async () => {
    const us = (time: string): number => Date.parse(`${time.replace(' ', 'T')}Z`) * 1000
    const of = async (third: string, fourth: string, prints: Row[] = []) => {
      const last = { ...tick('2026-11-02 10:00:00', 300, 200), third_us: us(third), fourth_us: us(fourth) }
      const [row] = await markouts({ 'core.cumulative_trades': [last], 'core.prints': prints })
      return row?.['has_takers']
    }
    const before = '2026-11-02 08:59:59'
    const taken = { ...own('2026-11-02 09:30:00', 1, 1), size: 1 }
    expect(await of(opens, before)).toBe(true)
    expect(await of(before, before)).toBe(false)
    // The trader is one of the three, made something only, or took before the window.
    expect(await of(opens, before, [taken])).toBe(false)
    expect(await of(opens, opens, [taken])).toBe(true)
    expect(await of(opens, before, [{ ...taken, size: 0 }])).toBe(true)
    expect(await of(opens, before, [{ ...taken, ts: before }])).toBe(true)
  })
})

describe('a midpoint a day later', () => {
  const odds = (ts_: string, mid: number | null): Row => ({ market_id: 'm', ts: ts_, mid })
  const look = (from_at: string): Row => ({
    dataset: 'quotes',
    unit: from_at,
    part: 'polymarket',
    state: 'done',
    from_at,
  })
  const mids = async (given: Given, market?: Row) => (await markouts(given, market)).map(({ mid }) => mid)

  test('is the last one of the hour before, or older and seen unchanged in that hour', async () => {
    expect(await mids({ 'core.odds': [odds(opens, 0.6), odds('2026-11-02 10:00:01', 0.9)] })).toEqual([0.6])
    expect(await mids({ 'core.odds': [odds('2026-11-02 08:59:59', 0.6)] })).toEqual([null])
    const seen = [look('2026-11-02 09:30:00')]
    expect(await mids({ 'core.odds': [odds('2026-11-01', 0.6)], 'lake.coverage': seen })).toEqual([0.6])
    expect(
      await mids({ 'core.odds': [odds('2026-11-01', 0.6)], 'lake.coverage': [look('2026-11-02 10:00:01')] }),
    ).toEqual([null])
  })

  test('is of before the resolution: from there on a book shows the payout', async () => {
    const given = { 'core.odds': [odds(opens, 0.6), odds('2026-11-02 09:30:00', 0.99)] }
    expect(await mids(given, { resolved_at: '2026-11-02 09:30:00' })).toEqual([0.6])
  })

  test('is mirrored for the second outcome, and not asked for where others traded enough', async () => {
    const given = { 'core.odds': [odds(opens, 0.6)], 'core.fills': [fill({ outcome: 1 })] }
    expect(await mids(given)).toEqual([0.4])
    const recent = { third_us: 1e16, fourth_us: null }
    expect(await mids({ ...given, 'core.cumulative_trades': [{ ...tick(opens, 300, 200), ...recent }] })).toEqual([
      null,
    ])
    expect(await mids({ ...given, 'core.cumulative_trades': [tick(opens, 300, 200)] })).toEqual([0.4])
  })
})
