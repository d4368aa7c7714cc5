import { describe, expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const after = '2026-11-20 12:00:00.000001'
const seen = (more: Row = {}): Row => ({
  market_id: 'm',
  question: 'Who wins?',
  labels: ['Yes', 'No'],
  token_ids: ['t0', 't1'],
  is_open: true,
  is_hindsight: false,
  ...more,
})
const markets = (rows: readonly Row[], resolutions: readonly Row[] = []) =>
  run('core.markets', { 'staging.markets': rows, 'staging.resolutions': resolutions })

describe('the question', () => {
  const asked = async (labels: string[]) => cut(await markets([seen({ labels })]), 'question')[0]?.[0]

  test('is as it was asked where YES is yes, in any case', async () => {
    expect(await asked(['Yes', 'No'])).toBe('Who wins?')
    expect(await asked(['YES', 'NO'])).toBe('Who wins?')
  })

  test('says what YES stands for where the labels are others', async () => {
    expect(await asked(['Lakers', 'Celtics'])).toBe('Who wins?: Lakers?')
    expect(await asked(['No', 'Yes'])).toBe('Who wins?: No?')
    expect(await asked(['Over', 'Under', 'Push'])).toBe('Who wins?: Over?')
  })

  test('is there also where nobody has named the outcomes', async () => {
    expect(await asked([])).toBe('Who wins?')
  })
})

describe('a market', () => {
  const states = async (row: Row, resolved?: string) => {
    const rows = await markets([seen(row)], resolved === undefined ? [] : [{ market_id: 'm', ts: resolved }])
    return cut(rows, 'is_open', 'closed_at', 'resolved_at')[0]
  }

  test('is open as it was last seen', async () => {
    expect(await states({ is_open: true })).toEqual([true, null, null])
    expect(await states({ is_open: false })).toEqual([false, null, null])
  })

  test('is open, before it was first seen, from its creation to its close or resolution', async () => {
    const hindsight = { is_hindsight: true, is_open: false }
    expect(await states(hindsight)).toEqual([true, null, null])
    expect(await states({ ...hindsight, closed_at: after })).toEqual([true, null, null])
    expect(await states({ ...hindsight, closed_at: clock })).toEqual([false, clock, null])
    expect(await states(hindsight, '2026-11-01')).toEqual([false, null, '2026-11-01 00:00:00'])
  })

  test('is not open once it has closed or resolved, whatever was seen before', async () => {
    expect(await states({ closed_at: clock })).toEqual([false, clock, null])
    expect(await states({}, '2026-11-01')).toEqual([false, null, '2026-11-01 00:00:00'])
  })

  test('has resolved when the first payout was reported, be it corrected later', async () => {
    const rows = await markets(
      [seen()],
      [
        { market_id: 'm', ts: '2026-11-02' },
        { market_id: 'm', ts: '2026-11-01' },
      ],
    )
    expect(cut(rows, 'resolved_at')).toEqual([['2026-11-01 00:00:00']])
  })

  test('takes no fee where none is named, and counts its outcomes', async () => {
    const rows = await markets([seen({ labels: ['A', 'B', 'C'] }), seen({ market_id: 'n', taker_fee_rate: 0.02 })])
    expect(cut(rows, 'market_id', 'taker_fee_rate', 'n_outcomes')).toEqual([
      ['m', 0, 3],
      ['n', 0.02, 2],
    ])
  })
})

describe('outcomes', () => {
  const outcomes = async (row: Row, resolutions: Row[] = []) =>
    cut(
      await run('core.outcomes', { 'staging.markets': [seen(row)], 'staging.resolutions': resolutions }),
      'outcome',
      'token_id',
      'label',
      'payout',
    )

  test('are numbered as the market lists them, with their payout once it is known', async () => {
    expect(await outcomes({})).toEqual([
      [0, 't0', 'Yes', null],
      [1, 't1', 'No', null],
    ])
    expect(await outcomes({}, [{ market_id: 'm', ts: '2026-11-01', payouts: [0.5, 0.5] }])).toEqual([
      [0, 't0', 'Yes', 0.5],
      [1, 't1', 'No', 0.5],
    ])
  })

  test('pay what the last correction says', async () => {
    const corrected = [
      { market_id: 'm', ts: '2026-11-02', payouts: [0, 1] },
      { market_id: 'm', ts: '2026-11-01', payouts: [1, 0] },
    ]
    expect((await outcomes({}, corrected)).map(([, , , payout]) => payout)).toEqual([0, 1])
  })

  test('without a label are there all the same; without a token there are none', async () => {
    expect(await outcomes({ labels: ['A'] })).toEqual([
      [0, 't0', 'A', null],
      [1, 't1', '', null],
    ])
    expect(await outcomes({ token_ids: [] })).toEqual([])
  })
})

describe('odds', () => {
  const mid = async (bid: number | null, ask: number | null) =>
    cut(await run('core.odds', { 'staging.quotes': [{ market_id: 'm', bid, ask, period_s: 0 }] }), 'mid')[0]?.[0]

  test('are the middle of the book up to a spread of 0.10', async () => {
    expect(await mid(0.45, 0.55)).toBe(0.5)
    expect(await mid(0.45, 0.550001)).toBeNull()
    expect(await mid(0.333333, 0.333334)).toBe(0.333334)
    expect(await mid(0.5, 0.5)).toBe(0.5)
  })

  test('are no price where a side is missing or the sides are crossed', async () => {
    expect(await mid(null, 0.05)).toBeNull()
    expect(await mid(0.95, null)).toBeNull()
    expect(await mid(0.5, 0.499999)).toBeNull()
  })

  test('are of instants, not of candles', async () => {
    const quotes = [
      { market_id: 'm', period_s: 0, bid: 0.4, last: 0.41 },
      { market_id: 'm', period_s: 60, bid: 0.6 },
    ]
    expect(cut(await run('core.odds', { 'staging.quotes': quotes }), 'bid', 'last')).toEqual([[0.4, 0.41]])
  })
})
