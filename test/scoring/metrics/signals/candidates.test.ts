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
  'core.market_states': [{ market_id: 'v:m', question: 'Will it?' }],
  'lake.feed': feed as { id: string }[],
})
const published = (rows: Record<string, unknown>[]) =>
  rows.filter((row) => row['is_published']).map(({ type, entity, direction }) => [type, entity, direction].join(' '))
const earlier = { id: 'sig_1', evidence: '[]', tick_at: '2026-11-20 01:00:00', published_at: '2026-11-20 01:00:00' }

test('the score is that of the information and the confidence', async () => {
  const rows = await run('metrics.candidates', given([trade(1e-6)], []))
  expect(rows).toMatchObject([
    { type: 'wallet', entity: '0xa', direction: 'entry', score: Math.round(90 * (1 - Math.exp(-6 / 5))) },
  ])
  expect(rows[0]?.['information']).toBeCloseTo(6, 9)
  expect(rows[0]?.['evidence']).toMatchObject([
    { kind: 'transaction', ref: 't1' },
    { kind: 'market', ref: 'v:m' },
    { kind: 'outcome', ref: 'a', value: 0.4 },
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

const swap = (p: number, more = {}) => ({
  wallet: '0xw',
  chain: 'base',
  tx: 't2',
  token: '0xpepe',
  direction: 'exit',
  ts: '2026-11-20 11:45:00',
  usd: 700_000,
  confidence: 0.6,
  label: 'PEPE',
  symbol: 'BTC',
  p,
  ...more,
})
const burst = (symbol: string, p: number, more = {}) => ({
  symbol,
  ts: '2026-11-20 11:55:00',
  n_authors: 60,
  expected: 4,
  confidence: 0.8,
  p,
  ...more,
})
const slow = (swaps: object[], bursts: object[], more = given([], [])) => ({
  ...more,
  'metrics.swap_candidates': swaps as ReturnType<typeof swap>[],
  'metrics.burst_candidates': bursts as ReturnType<typeof burst>[],
})

test('trades on chains and bursts of the last scores are signals, with the token and the posts as evidence', async () => {
  const rows = await run('metrics.candidates', slow([swap(1e-7)], [burst('ETH', 1e-8), burst('SOL', 1)]))
  expect(published(rows)).toEqual(['social ETH burst', 'wallet 0xw exit'])
  expect(rows.find(({ type }) => type === 'wallet')).toMatchObject({
    chain: 'base',
    label: 'PEPE',
    score: Math.round(60 * (1 - Math.exp(-7 / 5))),
    evidence: [
      { kind: 'transaction', ref: 't2' },
      { kind: 'token', ref: 'base:0xpepe', value: 700_000 },
    ],
  })
  expect(rows.find(({ type }) => type === 'social')).toMatchObject({ symbol: 'ETH', n_authors: 60, expected: 4 })
  const old = { ts: '2026-11-20 11:00:00' }
  expect(await run('metrics.candidates', slow([swap(1e-7, old)], [burst('ETH', 1e-8, old)]))).toEqual([])
})

test('assets without a burst count among the tests', async () => {
  const others = Array.from({ length: 299 }, (_, i) => burst(`A${i}`, 1))
  expect(published(await run('metrics.candidates', slow([], [burst('ETH', 4e-5), ...others])))).toEqual([])
  expect(published(await run('metrics.candidates', slow([], [burst('ETH', 3e-5), ...others])))).toEqual([
    'social ETH burst',
  ])
})

test('three types agree on one asset, and a market counts for each asset of its question', async () => {
  const rows = await run('metrics.candidates', slow([swap(1e-6)], [burst('BTC', 1e-6)], given([], [move('a', 1e-6)])))
  const x = Math.log(10) * 18
  const together = rows.find(({ type }) => type === 'signal')
  expect(together).toMatchObject({ entity: 'BTC', is_published: true, confidence: 0.6 })
  expect(together?.['information']).toBeCloseTo(Math.min(20, -Math.log10(Math.exp(-x) * (1 + x + (x * x) / 2))), 8)
  const two = {
    ...given([], [move('a', 1e-6)]),
    'metrics.signal_markets': [{ market_id: 'v:a', question: 'Q', symbols: ['BTC', 'ETH'] }],
  }
  expect(published(await run('metrics.candidates', slow([], [burst('ETH', 1e-6)], two)))).toContain(
    'signal ETH together',
  )
  // The market signal may have been published before.
  const before = {
    ...earlier,
    type: 'market',
    entity: 'v:a',
    direction: 'up',
    symbol: 'BTC',
    information: 6,
    published_at: '2026-11-20 08:00:00',
    evidence: '[]',
  }
  const later = { ...two, 'metrics.move_candidates': [], 'lake.feed': [before] }
  expect(published(await run('metrics.candidates', slow([], [burst('ETH', 1e-6)], later)))).toContain(
    'signal ETH together',
  )
})
