import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { coverageNotes, isoOf, limitSlot, omitNulls, rowsOf } from '#api/chat/intents/slots.ts'
import {
  byClosingLine,
  byProfit,
  byWinRate,
  fromTheEnd,
  ofBetting,
  people,
  results,
} from '#api/chat/reading/concepts/results.ts'
import { rangeOf } from '#api/chat/reading/periods.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { archetypes } from '#api/endpoints/pm_traders.ts'

/** A row of the leaderboard. */
export const listedTrader = z.object({
  wallet: z.string(),
  pnl: z.number(),
  win_rate: z.number(),
  clv_score: z.number(),
  archetype: z.enum(archetypes),
})

type Archetype = (typeof archetypes)[number]

/** The ranges of the leaderboard by their days, and in words. */
export const traderRanges = { '30d': 30, '90d': 90, all: 'all' } as const
export const traderPeriods = { '30d': '30 days', '90d': '90 days', all: 'all time' } as const

export const pmTraders = defineIntent({
  name: 'pm_traders',
  doc: 'The leaderboard of traders of prediction markets by closing line value, PnL or win rate.',
  examples: ['Who are the sharpest traders?', 'Which trader made the most in 90 days?'],
  slots: z.strictObject({
    sort: z.enum(['clv', 'pnl', 'win_rate']).default('clv'),
    range: z.enum(['30d', '90d', 'all']).default('30d'),
    archetype: z.enum(archetypes).optional().describe('Only traders of this archetype'),
    order: z.enum(['best', 'worst']).default('best').describe('`worst` begins with the end of the list'),
    limit: limitSlot.optional(),
  }),
  match: (reading) => {
    const score = scoreOf(reading)
    if (score === 0) return null
    const range = rangeOf(reading.period, traderRanges)
    if (range === undefined) return { score, missing: 'range' }
    const { limit } = reading
    return {
      score,
      slots: omitNulls({
        range,
        sort: sortOf(reading),
        archetype: archetypeOf(reading),
        order: orderOf(reading),
        limit,
      }),
    }
  },
  answer: async ({ sort, range, archetype, order, limit }, { readers }) => {
    const query = { sort, range, limit: String(rowsOf(limit)) }
    const isRefined = archetype !== undefined || order === 'worst'
    const refinement = {
      ...(archetype === undefined ? {} : { where: 'archetype = $only', params: { only: archetype } }),
      ...(order === 'worst' ? { order: 'rank desc' } : {}),
      limit: rowsOf(limit),
    }
    const read = isRefined
      ? { coverage: null, ...(await readers.refine('GET /pm-traders', query, refinement, listedTrader)) }
      : await readers.get('GET /pm-traders', query, z.array(listedTrader))
    const names = { clv: 'closing line value', pnl: 'PnL', win_rate: 'win rate' }
    const headline = `Traders by ${names[sort]} over ${traderPeriods[range]}${order === 'worst' ? ', the last first' : ''}:`
    return answerOf({
      headline: read.body.length > 0 ? headline : 'No such trader is listed.',
      facts: read.body.map(listedTraderFact),
      notes: coverageNotes(read.coverage),
      inputs: [traderPeriods[range], read.coverage ?? ''],
      asOf: isoOf(read.asOf),
    })
  },
})

/** A row of the leaderboard as a fact. */
export const listedTraderFact = (row: z.output<typeof listedTrader>): Fact => ({
  name: row.wallet,
  figures: [
    { name: 'PnL', value: row.pnl, unit: 'usd' },
    { name: 'win rate', value: row.win_rate, unit: 'share' },
    { name: 'closing line value', value: row.clv_score, unit: 'points' },
  ],
  words: [row.archetype],
  source: { type: 'wallet', entity: row.wallet, signal_id: '' },
})

const ofTraders = new Set<string>(
  archetypes.filter(
    (archetype) => !['unproven', 'whale', 'arbitrageur', 'generalist', 'fade_target'].includes(archetype),
  ),
)

const scoreOf = (reading: Reading): number => {
  const { text, plain, addresses, archetype, chain, foreign, means, titles, subject } = reading
  if (addresses.length > 0 || /<market>/.test(text)) return 0
  const isBetting = means(ofBetting)
  // `what do bettors say about the lakers` names a market.
  if ((foreign.length > 0 || subject.length > 1) && archetype === null && (titles[0]?.share ?? 0) > 0.85) return 0
  const isOnChain = chain !== null || /\b(wallets?|on[- ]?chain|smart money|addresses)\b/.test(plain)
  const base =
    (archetype !== null && ofTraders.has(archetype) ? 62 : 0) ||
    (means(people) ? 60 : 0) ||
    (archetypeOf(reading) !== null && (isBetting || !isOnChain) && archetype !== 'whale' ? 58 : 0)
  if (base > 0) return base + (isBetting ? 6 : 0) - (isOnChain ? (isBetting ? 0 : 20) : 0)
  if (archetype === 'whale' && isBetting) return 62
  // `who won the world cup` is about others.
  if (!isBetting && !means(byWinRate) && (foreign.length > 0 || (titles[0]?.share ?? 0) > 0.5)) return 0
  if (/\bwho(se|'s|s)?\b/.test(plain) && (means(results) || isBetting))
    return 58 + (isBetting ? 6 : 0) - (isOnChain ? 20 : 0)
  const isRecord = isBetting && /\b(win ?rate|pnl|profit\w*|earn\w*)\b/.test(plain)
  return isRecord || (isBetting && isOnChain && means(results)) ? 67 : 0
}

const sortOf = ({ means }: Reading): 'pnl' | 'win_rate' | undefined => {
  if (means(byWinRate)) return 'win_rate'
  return !means(byClosingLine) && means(byProfit) ? 'pnl' : undefined
}

const archetypeOf = ({ archetype }: Reading): Archetype | null =>
  archetypes.find((candidate) => candidate === archetype) ?? null

/** `worst` for the end of a list. */
export const orderOf = ({ means }: Reading): 'worst' | undefined => (means(fromTheEnd) ? 'worst' : undefined)
