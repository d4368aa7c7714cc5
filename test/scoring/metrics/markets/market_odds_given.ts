import { expect } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

/** Rows that the models of a market's odds read, and the figures of one market. */
export type Row = Given[string][number]
export const dayAgo = '2026-11-19 12:00:00'
export const withinDay = '2026-11-19 12:00:00.000001'
export const recent = '2026-11-20 11:00:00'
export const market_id = 'polymarket:a'

export const trade = (more: Row = {}): Row => ({
  venue: 'polymarket',
  market_id,
  token_id: 'yes',
  ts: recent,
  role: 'taker',
  price: 0.3,
  size: 10,
  ...more,
})
export const market = (more: Row = {}): Row => ({ market_id, venue: 'polymarket', is_open: true, ...more })
export const outcomes: Row[] = [
  { market_id, outcome: 0, token_id: 'yes' },
  { market_id, outcome: 1, token_id: 'no' },
]
export const report = (...payouts: number[]): Row[] => [{ market_id, ts: '2026-11-20 11:30:00', payouts }]
export const quoted = (more: Row = {}): Row => ({
  market_id,
  ts: recent,
  mid: 0.4,
  shown: 0.45,
  is_pushed: false,
  ...more,
})

export const odds = async (given: Given) => {
  const rows = await run('metrics.market_odds', {
    'core.market_states': [market()],
    'core.outcomes': outcomes,
    ...given,
  })
  expect(rows).toHaveLength(1)
  return rows
}
export const yes = async (given: Given) => cut(await odds(given), 'yes_price', 'yes_method', 'yes_at')[0]
export const volume = async (given: Given) => cut(await odds(given), 'volume_24h_usd', 'volume_method')[0]
