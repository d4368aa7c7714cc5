import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { coverageNotes, isoOf, limitSlot, omitNulls, rowsOf, symbolSlot } from '#api/chat/intents/slots.ts'
import {
  falling,
  least,
  mayMeanAttention,
  ofAssets,
  ofAttention,
  rising,
} from '#api/chat/reading/concepts/attention.ts'
import { rangeOf } from '#api/chat/reading/periods.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { venueNames } from '#api/chat/reading/venue_words.ts'
import { sentimentOf } from '#api/chat/reading/vocabulary.ts'

import { asksHowItDoes, asksOfUntracked } from './untracked.ts'

export const attentionRanges = { '7d': 7, '30d': 30 } as const

const momentum = z.object({
  symbol: z.string(),
  mindshare_pct: z.number(),
  mindshare_delta: z.number(),
  sentiment: z.enum(['bullish', 'neutral', 'bearish']),
  rank: z.number(),
})

export const momentumList = z.array(momentum)

const orders = {
  mindshare: undefined,
  least: 'mindshare_pct',
  gainers: 'mindshare_delta desc',
  losers: 'mindshare_delta',
} as const

export const signals = defineIntent({
  name: 'signals',
  doc: 'Attention of assets: mindshare in percent, its change in points, sentiment and rank.',
  examples: ['How much mindshare does BTC have this week?', 'Which assets are bullish?'],
  slots: z.strictObject({
    assets: z.array(symbolSlot).min(1).max(20).optional().describe('Symbols; by default all assets'),
    range: z.enum(['7d', '30d']).default('30d'),
    sentiment: z.enum(['bullish', 'neutral', 'bearish']).optional().describe('Only assets with this sentiment'),
    sort: z.enum(['mindshare', 'least', 'gainers', 'losers']).default('mindshare'),
    limit: limitSlot.optional(),
  }),
  match: (reading) => {
    const score = scoreOf(reading)
    if (score === 0) return null
    const range = rangeOf(reading.period, attentionRanges)
    if (range === undefined) return { score, missing: 'range' }
    const { assets, unknownAsset, text } = reading
    if (assets.length > 0) return { score, slots: { assets, ...omitNulls({ range }) } }
    if (unknownAsset !== null || asksOfUntracked(reading)) return { score, missing: 'asset' }
    return {
      score,
      slots: omitNulls({ range, sentiment: sentimentOf(text), sort: sortOf(reading), limit: reading.limit }),
    }
  },
  answer: async ({ assets, range, sentiment, sort, limit }, { readers }) => {
    const refinement = {
      ...(sentiment === undefined ? {} : { where: 'sentiment = $only', params: { only: sentiment } }),
      ...omitNulls({ order: orders[sort] }),
      limit: assets ? assets.length : rowsOf(limit),
    }
    const query = { range, ...(assets ? { assets: assets.join() } : {}) }
    const isRefined = sentiment !== undefined || sort !== 'mindshare'
    const read = isRefined
      ? { coverage: null, ...(await readers.refine('GET /signals', query, refinement, momentum)) }
      : await readers.get('GET /signals', query, momentumList)
    const rows = read.body.slice(0, refinement.limit)
    const untracked = (assets ?? []).filter((symbol) => !rows.some((row) => row.symbol === symbol))
    return answerOf({
      headline: `Attention over ${range}:`,
      facts: rows.map(momentumFact),
      notes: [...untracked.map((symbol) => `${symbol} is not tracked.`), ...coverageNotes(read.coverage)],
      inputs: [range, ...untracked, read.coverage ?? ''],
      asOf: isoOf(read.asOf),
    })
  },
})

/** The momentum of an asset as a fact. */
export const momentumFact = (row: z.output<typeof momentum>): Fact => ({
  name: row.symbol,
  figures: [
    { name: 'mindshare', value: row.mindshare_pct, unit: 'percent' },
    { name: 'change', value: row.mindshare_delta, unit: 'points' },
    { name: 'rank', value: row.rank, unit: 'count' },
  ],
  words: [row.sentiment],
  source: { type: 'social', entity: row.symbol, signal_id: '' },
})

const otherThings = new RegExp(
  String.raw`\b(traders?|bettors?|wallets?|markets?|odds|pnl|clv|win rate|${venueNames}|signals?|feed|alerts?)\b`,
)

/** Without a word of traders, these are assets. */
const movers =
  /\b(gainers?|movers?|risers?|fallers?|decliners?)\b|\bwhat(?:'s|s| is) (?:pumping|mooning|hot|heating up|trending|rising|falling)\b/

const scoreOf = (reading: Reading): number => {
  const { text, excluded, assets, addresses, unknownAsset, means, titles, foreign } = reading
  if (addresses.length > 0) return 0
  // `was the january inflation hot` names a market.
  if (
    assets.length === 0 &&
    foreign.length > 0 &&
    !means(ofAttention) &&
    !means(ofAssets) &&
    (titles[0]?.share ?? 0) > 0.5
  )
    return 0
  const isOfAssets = means(ofAssets)
  const cued = means(mayMeanAttention) ? (means(ofAttention) && !otherThings.test(text) ? 62 : 52) : 0
  if (cued > 0) return cued + (assets.length > 0 ? 8 : 0) + (isOfAssets ? 4 : 0)
  if (assets.length > 0) return 42
  if (
    unknownAsset !== null &&
    /^\W*\w+\W*$|\bhow('s|s| is| are)?\b.*\b(doing|trending|looking)\b|\bwhat about\b/.test(text)
  )
    return 45
  if (titles.length === 0 && asksHowItDoes(reading)) return 45
  if (movers.test(text) && !otherThings.test(text)) return 61
  const isRanked = /\b(rank\w*|top|best|most)\b/.test(text) || [rising, falling, least].some(means)
  return isOfAssets && (isRanked || excluded.length > 0) ? 45 : 0
}

const sortOf = ({ text, means }: Reading): 'least' | 'gainers' | 'losers' | undefined => {
  if (/\b(?:worst|lowest|poorest|best|highest|strongest) (?:sentiment|mood|tone)\b/.test(text)) return undefined
  if (means(least) && !/\b(lowest|smallest|least) (change|delta)/.test(text)) return 'least'
  if (means(falling)) return 'losers'
  return means(rising) || /\b(delta|change)\b.*\bdesc/.test(text) ? 'gainers' : undefined
}
