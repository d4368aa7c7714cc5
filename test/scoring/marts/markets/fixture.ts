import { clock, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const dayAgo = '2026-11-19 12:00:00'
const market = (name: string, more: Row = {}): Row => ({
  market_id: `polymarket:${name}`,
  venue: 'polymarket',
  question: `Will ${name}?`,
  event_id: 'polymarket:e',
  is_open: false,
  ...more,
})
export const markets = [
  market('open', { is_open: true }),
  market('closed today', { closed_at: '2026-11-19 12:00:00.000001' }),
  market('closed yesterday', { closed_at: dayAgo }),
  market('resolved today', { reported_at: clock }),
  market('resolved before', { reported_at: dayAgo }),
  market('closed before, resolved today', { closed_at: '2026-11-01', reported_at: clock }),
  market('paused'),
]
/** Markets without any price: open, or closed at some time. */
const unpriced = [
  market('new', { is_open: true }),
  market('stopped'),
  market('forgotten', { closed_at: dayAgo }),
  { ...market('quiet', { is_open: true }), venue: 'limitless' },
]
const priced: Row = { yes_price: 0.333333, yes_method: 'mid', yes_at: clock }
const noPrice: Row = { yes_price: null, yes_method: 'none', yes_at: null }
const odds = [...markets, ...unpriced].map((row): Row => ({
  market_id: row['market_id'] ?? '',
  ...(unpriced.includes(row) ? noPrice : priced),
  volume_24h_usd: 12.345,
  volume_method: 'fills',
}))
/** Markets in every state, and odds of each. */
export const given = { 'core.market_states': [...markets, ...unpriced], 'metrics.market_odds': odds }
/** The markets' names, sorted. */
export const namesOf = (rows: Record<string, unknown>[]) =>
  rows.map(({ id }) => String(id).replace('polymarket:', '')).toSorted()
