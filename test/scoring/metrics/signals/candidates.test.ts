import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

const move = (market: string, p: number) => ({
  market_id: `v:${market}`,
  ts: '2026-11-20 11:40:00',
  before_price: 0.3,
  price: 0.8,
  hour_usd: 9_000,
  t: 5,
  p,
})
const trade = (p: number, more = {}) => ({
  trader: '0xa',
  market_id: 'v:m',
  outcome: 0,
  side: 'buy',
  tx: 't1',
  ts: '2026-11-20 11:50:00',
  usd: 90_000,
  price: 0.4,
  p,
  ...more,
})
const given = (trades: object[], moves: ReturnType<typeof move>[], feed: object[] = []) => ({
  'metrics.trade_candidates': trades as ReturnType<typeof trade>[],
  'metrics.move_candidates': moves,
  'metrics.signal_traders': [{ trader: '0xa', confidence: 0.9, archetype: 'sharp' }],
  'metrics.signal_markets': moves.map(({ market_id }) => ({ market_id, question: 'Q', symbols: ['BTC'] })),
  'core.outcomes': [{ market_id: 'v:m', outcome: 0, token_id: 'a', label: 'Yes' }],
  'core.markets': [{ market_id: 'v:m', question: 'Will it?' }],
  'lake.feed': feed as { id: string }[],
})
const published = (rows: Record<string, unknown>[]) =>
  rows.filter((row) => row['is_published']).map(({ type, entity, direction }) => [type, entity, direction].join(' '))
const earlier = { id: 'sig_1', tick_at: '2026-11-20 01:00:00', published_at: '2026-11-20 01:00:00' }

test('the score is that of the information and the confidence', async () => {
  const rows = await run('metrics.candidates', given([trade(1e-6)], []))
  expect(rows).toMatchObject([
    { type: 'wallet', entity: '0xa', direction: 'entry', score: Math.round(90 * (1 - Math.exp(-6 / 5))) },
  ])
  expect(rows[0]?.['information']).toBeCloseTo(6, 9)
  expect(rows[0]?.['evidence']).toMatchObject([
    { kind: 'transaction', ref: 't1' },
    { kind: 'market', ref: 'v:m' },
  ])
  expect(published(rows)).toEqual(['wallet 0xa entry'])
  const sale = await run('metrics.candidates', given([trade(1e-9, { side: 'sell' })], []))
  expect(published(sale)).toEqual(['wallet 0xa exit'])
})

test('an event that is no discovery among all that were tested is not published', async () => {
  // Alone it would be one: 0.004 <= 0.01. Among ten it is not: 0.04.
  const alone = await run('metrics.candidates', given([], [move('a', 0.004)]))
  expect(published(alone)).toEqual(['market v:a up'])
  const others = Array.from({ length: 9 }, (_, i) => move(`o${i}`, 0.5 + i / 20))
  const among = await run('metrics.candidates', given([], [move('a', 0.004), ...others]))
  expect(published(among)).toEqual([])
  // Benjamini and Hochberg by hand: the third of 11 is below 3 x 0.01 / 11, and lifts the ones before it.
  const three = [move('a', 0.0012), move('b', 0.0019), move('c', 0.0027), ...others.slice(0, 8)]
  expect(published(await run('metrics.candidates', given([], three)))).toEqual([
    'market v:a up',
    'market v:b up',
    'market v:c up',
  ])
})

test('a signal is not repeated within 24 hours, unless its information doubles', async () => {
  const before = { ...earlier, type: 'market', entity: 'v:a', direction: 'up', information: 4 }
  const found = (p: number, feed: object) => run('metrics.candidates', given([], [move('a', p)], [feed]))
  expect(published(await found(1e-7, before))).toEqual([])
  expect(published(await found(1e-8, before))).toEqual(['market v:a up'])
  expect(published(await found(1e-7, { ...before, direction: 'down' }))).toEqual(['market v:a up'])
  expect(published(await found(1e-7, { ...before, tick_at: '2026-11-19 12:00:00' }))).toEqual(['market v:a up'])
})

test('two types on one asset within 6 hours are a signal of their own, by Fisher', async () => {
  const social = { ...earlier, type: 'social', entity: 'BTC', direction: 'burst', symbol: 'BTC', information: 5 }
  const at = { tick_at: '2026-11-20 07:00:00', published_at: '2026-11-20 07:00:00', confidence: 0.7 }
  const rows = await run('metrics.candidates', given([], [move('a', 1e-6)], [{ ...social, ...at }]))
  expect(published(rows)).toEqual(['market v:a up', 'signal BTC together'])
  const x = Math.log(10) * 11
  const together = rows.find(({ type }) => type === 'signal')
  expect(together).toMatchObject({ confidence: 0.7 })
  expect(together?.['information']).toBeCloseTo(-Math.log10(Math.exp(-x) * (1 + x)), 8)
  expect(together?.['evidence']).toMatchObject([{ kind: 'market' }, { kind: 'social', ref: 'sig_1' }])
  const late = { ...social, ...at, published_at: '2026-11-20 05:59:00' }
  expect(published(await run('metrics.candidates', given([], [move('a', 1e-6)], [late])))).toEqual(['market v:a up'])
})
