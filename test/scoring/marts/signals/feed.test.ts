import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { cut, run } from '#test/scoring/model.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const at = (ago_h: number): string => new Date(noon - ago_h * 3_600_000).toISOString().slice(0, 23).replace('T', ' ')
const row = (id: string, ago_h: number, score: number, more = {}) => ({
  id,
  published_at: at(ago_h),
  tick_at: at(ago_h),
  type: 'market',
  entity: 'polymarket:0x12',
  score,
  tier_required: 'free',
  evidence: '[]',
  ...more,
})

test('twice the score is worth 6 hours, and signals of more than 30 days or after the clock are left out', async () => {
  const rows = [row('a', 6.5, 80), row('b', 0, 40), row('c', 5.5, 80), row('d', 720, 90), row('e', -1, 90)]
  expect(cut(await run('marts.feed', { 'lake.feed': rows }), 'rank', 'id')).toEqual([
    [1, 'c'],
    [2, 'b'],
    [3, 'a'],
  ])
})

test('two signals never change places, whenever the feed is built', async () => {
  const signals = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100 })), {
    selector: ([minutes]) => minutes % 30_000,
    minLength: 2,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(signals, async (given) => {
      const rows = given.map(([minutes, score], i) => row(`s${i}`, 24 + (minutes % 30_000) / 60, score))
      const early = await run('marts.feed', { 'lake.feed': rows }, at(24))
      const late = await run('marts.feed', { 'lake.feed': rows })
      const left = new Set(late.map(({ id }) => id))
      expect(early.map(({ id }) => id).filter((id) => left.has(id))).toEqual(late.map(({ id }) => id))
    }),
    { numRuns: sized(10, 15) },
  )
})

test('a signal that two nodes have published is listed once, with its masked entity and its evidence', async () => {
  const evidence = '[{"kind":"transaction","ref":"t","ts":1763640000000000,"value":12.5}]'
  const wallet = { type: 'wallet', entity: '0x1234567890abcdef', evidence, tier_required: 'pro' }
  const twice = [row('a', 2, 80, wallet), row('a', 1, 80, wallet)]
  const [only, ...others] = await run('marts.feed', { 'lake.feed': twice })
  expect(others).toEqual([])
  expect(only).toMatchObject({ entity_masked: '0x12…ef', timestamp: at(2).replace('.000', '') })
  expect(only?.['evidence']).toMatchObject([{ kind: 'transaction', ref: 't', value: 12.5 }])
})

test('the inputs of the detection are those of the scores', async () => {
  const trader = { trader: '0xa', n_trades: 30, archetype: 'sharp' }
  expect(await run('marts.signal_traders', { 'metrics.signal_traders': [trader] })).toMatchObject([trader])
  const market = { market_id: 'v:m', n_hours: 30 }
  expect(await run('marts.signal_markets', { 'metrics.signal_markets': [market] })).toMatchObject([market])
  const burst = { symbol: 'BTC', n_authors: 9, p: 1e-6 }
  expect(await run('marts.signal_bursts', { 'metrics.burst_candidates': [burst] })).toMatchObject([burst])
  const swap = { wallet: '0xa', chain: 'base', tx: 't', token: 'x', direction: 'exit', p: 1e-6 }
  expect(await run('marts.signal_swaps', { 'metrics.swap_candidates': [swap] })).toMatchObject([swap])
})

test('grades and outcomes are those of the metrics', async () => {
  const outcome = { id: 'a', horizon_s: 86_400, type: 'market', measure: 'mid', value_before: 0.4, value_after: 0.5 }
  expect(await run('marts.signal_outcomes', { 'metrics.signal_outcomes': [outcome] })).toMatchObject([outcome])
  const grades = { type: 'market', horizon_s: 86_400, n_signals: 9, n_hits: 7 }
  expect(await run('marts.signal_grades', { 'metrics.signal_grades': [grades] })).toMatchObject([grades])
})
