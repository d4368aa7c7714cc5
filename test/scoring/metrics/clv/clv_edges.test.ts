import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const starts_at = '2026-11-01 18:00:00'
const early = '2026-10-30 10:00:00'
const fill = (more: Row = {}): Row => ({
  trader: 'ann',
  trader_index: 5,
  event_id: 'e',
  ts: early,
  seq: 0,
  market_id: 'm',
  market_index: 1,
  outcome: 0,
  side: 'buy',
  price: 0.5,
  size: 100,
  cash_usd: 50,
  fee_usd: 0,
  is_self: false,
  ...more,
})
const close = (outcome: number, size: number, cash_usd: number, mid: number | null = null): Row => ({
  market_id: 'm',
  outcome,
  opens_at: '2026-11-01 17:45:00',
  close_at: starts_at,
  size,
  cash_usd,
  n_takers: 3,
  mid,
})
/** Others paid 0.6. */
const closes = [close(0, 1000, 600), close(1, 1000, 400)]
const markout = (size: number, cash_usd: number, more: Row = {}): Row => ({
  trader_index: 5,
  ts: early,
  seq: 0,
  size,
  cash_usd,
  has_takers: true,
  is_resolved: false,
  ...more,
})

const fills = async (given: Given, market: Row = { starts_at }) =>
  run('metrics.clv_edges', {
    'core.fills': [fill()],
    'core.ledger_markets': [{ market_index: 1, market_id: 'm', n_outcomes: 2, ...market }],
    ...given,
  })
const ofKind = (rows: Record<string, unknown>[], kind: string) => rows.filter((row) => row['kind'] === kind)
const started = async (of: Row, given: Given = { 'core.closes': closes }) => {
  const [row] = ofKind(await fills({ 'core.fills': [fill(of)], ...given }), 'event_start')
  return row ?? {}
}
const marked = async (of: Row, given: Given, market: Row = { starts_at: null }) => {
  const [row] = ofKind(await fills({ 'core.fills': [fill(of)], ...given }, market), 'markout_24h')
  return row ?? {}
}

describe('the edge of a fill', () => {
  test.each([
    ['a buy', {}, 10, 50],
    ['a buy with a fee', { fee_usd: 2 }, 8, 52],
    ['a sale', { side: 'sell' }, -10, 50],
    ['a sale with a fee', { side: 'sell', fee_usd: 2 }, -12, 52],
    ['a buy of the other outcome', { outcome: 1, cash_usd: 30, price: 0.3 }, 10, 30],
    ['a sale of the other outcome', { outcome: 1, side: 'sell', cash_usd: 30, price: 0.3 }, -10, 70],
  ])('of %s', async (_, of, edge_points, risk_usd) => {
    expect(await started(of)).toMatchObject({ edge_points, risk_usd, left_out: null, close_at: starts_at })
  })

  test('rests on cash, not on the rounded price', async () => {
    const { edge_points } = await started({ size: 3, cash_usd: 1, price: 0.333333 })
    expect(edge_points).toBeCloseTo(100 * (0.6 - 1 / 3), 11)
  })
})

describe('the close', () => {
  test('is what others paid: the trader’s own part of it is taken out', async () => {
    // Of 1000 shares for 600 dollars Ann was in 400 for 320: the others paid 280 for 600.
    const shares = [
      { trader_index: 5, market_index: 1, outcome: 0, size: 400, cash_usd: 320, is_taker: false },
      { trader_index: 6, market_index: 1, outcome: 0, size: 50, cash_usd: 50 },
      { trader_index: 5, market_index: 2, outcome: 0, size: 50, cash_usd: 50 },
    ]
    const given = { 'core.closes': closes, 'core.close_shares': shares }
    expect(await started({}, given)).toMatchObject({ close_price: 0.466667 })
    expect(await started({ outcome: 1 }, given)).toMatchObject({ close_price: 0.533333 })
  })

  test('needs 200 shares of others, whatever they cost, else it is the midpoint, else there is none', async () => {
    const of = async (...rows: Row[]) => cut([await started({}, { 'core.closes': rows })], 'close_price', 'left_out')[0]
    expect(await of(close(0, 200, 100))).toEqual([0.5, null])
    expect(await of(close(0, 200, 10))).toEqual([0.05, null])
    expect(await of(close(0, 199.999999, 100, 0.45))).toEqual([0.45, null])
    expect(await of(close(0, 199.999999, 190))).toEqual([null, 'no_close'])
    expect(await of()).toEqual([null, 'no_close'])
    // Enough was traded, but by Ann.
    const share = { trader_index: 5, market_index: 1, outcome: 0, size: 900, cash_usd: 550, is_taker: false }
    const own = { 'core.closes': [close(0, 1000, 600)], 'core.close_shares': [share] }
    expect(await started({}, own)).toMatchObject({ close_price: null, left_out: 'no_close' })
  })

  test('needs three takers other than the trader', async () => {
    const of = async (n_takers: number, is_taker?: boolean) => {
      const share = { trader_index: 5, market_index: 1, outcome: 0, size: 10, cash_usd: 6, is_taker: is_taker ?? true }
      const own = is_taker === undefined ? [] : [share]
      const given = { 'core.closes': [{ ...close(0, 1000, 600), n_takers }], 'core.close_shares': own }
      return (await started({}, given))['left_out']
    }
    expect([await of(3), await of(2)]).toEqual([null, 'no_close'])
    expect([await of(4, true), await of(3, true), await of(3, false)]).toEqual([null, 'no_close', null])
    const few = { 'core.markouts': [markout(1000, 400, { has_takers: false, mid: 0.45 })] }
    expect(await marked({}, few)).toMatchObject({ close_price: 0.45 })
  })

  test('of a market that resolves within the day is just before the resolution', async () => {
    const resolved_at = '2026-10-30 20:00:00'
    const given = { 'core.markouts': [markout(1000, 980, { is_resolved: true })] }
    const market = { starts_at: null, resolved_at }
    expect(await marked({}, given, market)).toMatchObject({
      close_at: resolved_at,
      close_price: 0.98,
      is_resolved: true,
      left_out: null,
    })
    expect(await marked({ ts: '2026-10-30 18:00:00' }, {}, market)).toMatchObject({ left_out: 'start' })
    expect(await marked({}, given, { ...market, resolved_at: '2026-10-31 11:00:00' })).toMatchObject({
      is_resolved: true,
    })
    expect(await marked({}, given, { ...market, resolved_at: '2026-10-31 11:00:01' })).toMatchObject({
      is_resolved: false,
      close_at: '2026-10-31 10:00:00',
    })
  })

  test('of a markout is a day later', async () => {
    const given = { 'core.markouts': [markout(1000, 400)] }
    expect(await marked({}, given)).toMatchObject({
      close_at: '2026-10-31 10:00:00',
      close_price: 0.4,
      edge_points: -10,
      left_out: null,
    })
    expect(await marked({}, { 'core.markouts': [markout(100, 40, { mid: 0.45 })] })).toMatchObject({
      close_price: 0.45,
    })
    expect(await marked({}, {})).toMatchObject({ close_price: null, edge_points: null, left_out: 'no_close' })
    const others = [markout(1000, 400, { seq: 1 }), markout(1000, 400, { trader_index: 6 })]
    expect(await marked({}, { 'core.markouts': others })).toMatchObject({ left_out: 'no_close' })
  })
})

describe('kinds', () => {
  test('a fill with a schedule has both, one without a markout alone, one without shares none', async () => {
    const kinds = async (given: Given, market: Row) => (await fills(given, market)).map(({ kind }) => kind)
    expect(await kinds({}, { starts_at })).toEqual(['event_start', 'markout_24h'])
    expect(await kinds({}, { starts_at: null })).toEqual(['markout_24h'])
    expect(await kinds({ 'core.fills': [fill({ size: 0 })] }, { starts_at })).toEqual([])
  })
})

describe('left out is', () => {
  test.each([
    ['17:44:59', null],
    ['17:45:00', 'start'],
    ['17:59:59', 'start'],
    ['18:00:00', 'in_play'],
  ])('at %s before a start at 18:00: %s', async (time, left_out) => {
    const edge_points = left_out === null ? 10 : null
    expect(await started({ ts: `2026-11-01 ${time}` })).toMatchObject({ left_out, edge_points })
  })

  test('a markout whose close would be in play', async () => {
    const left = async (start: string) =>
      (await marked({}, { 'core.markouts': [markout(1000, 400)] }, { starts_at: start }))['left_out']
    expect(await left('2026-10-31 11:00:00')).toBe('in_play')
    expect(await left('2026-10-31 11:00:01')).toBe(null)
    expect(await left('2026-10-30 09:00:00')).toBe('in_play')
  })

  test.each([
    [0.02, null],
    [0.019999, 'extreme'],
    [0.98, null],
    [0.980001, 'extreme'],
  ])('a price of %d: %s', async (price, left_out) => {
    expect(await started({ price })).toMatchObject({ left_out })
  })

  test('trades of a trader with itself', async () => {
    expect(await started({ is_self: true })).toMatchObject({ left_out: 'self', edge_points: null })
  })

  test('named by the first reason that applies', async () => {
    const none = { 'core.closes': [] }
    expect(await started({ ts: starts_at, price: 0.99, is_self: true }, none)).toMatchObject({ left_out: 'in_play' })
    expect(await started({ price: 0.99, is_self: true }, none)).toMatchObject({ left_out: 'extreme' })
    expect(await started({ is_self: true }, none)).toMatchObject({ left_out: 'no_close' })
  })
})
