import { z } from 'zod'

import { answerOf, type Answer, type Fact } from '#api/chat/answering/answer.ts'
import type { Detail, Readers } from '#api/chat/answering/readers.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { listedTrader, listedTraderFact, traderPeriods, traderRanges } from '#api/chat/intents/lists/ask_pm_traders.ts'
import { addressSlot, coverageNotes, isoOf, omitNulls } from '#api/chat/intents/slots.ts'
import { rangeOf } from '#api/chat/reading/periods.ts'
import { parseAddress } from '#api/contract/address.ts'
import { archetypes } from '#api/endpoints/pm_traders.ts'
import { answeringTrader } from '#api/endpoints/pm_wallet.ts'

import { isOfMarkets, lacksAddress } from './of_one_address.ts'

export const traderProfile = z.object({
  pm_profile: z.object({
    address: z.string(),
    total_pnl: z.number(),
    win_rate: z.number(),
    clv_score: z.number(),
    markets_traded: z.number(),
    archetype: z.enum(archetypes),
  }),
})

export const pmWallet = defineIntent({
  name: 'pm_wallet',
  doc: 'The prediction-market record of one address: over all time, or PnL and win rate of 30 or 90 days.',
  examples: [
    'How many markets did 0xBBc264c10F54A61607A31B53358a5A87d4B045be trade?',
    'What is the 30d prediction PnL of 0xBBc264c10F54A61607A31B53358a5A87d4B045be?',
  ],
  slots: z.strictObject({
    address: addressSlot,
    range: z.enum(['30d', '90d', 'all']).default('all').describe('The period of PnL and win rate'),
  }),
  match: (reading) => {
    const [address] = reading.addresses
    if (!address) return lacksAddress(reading) && isOfMarkets(reading) ? { score: 72, missing: 'address' } : null
    if (!isOfMarkets(reading)) return null
    const range = rangeOf(reading.period, traderRanges)
    return range === undefined
      ? { score: 64, missing: 'range' }
      : { score: 64, slots: { address: address.shown, ...omitNulls({ range }) } }
  },
  answer: async ({ address, range }, { readers }) => {
    const { body, asOf, coverage } = await readers.get('GET /pm-wallet', { address }, traderProfile)
    const { markets_traded, address: shown } = body.pm_profile
    if (markets_traded > 0 && range !== 'all') return recordOver(range, { address: shown, coverage, readers })
    return answerOf({
      headline: markets_traded === 0 ? noTradeOf(body) : 'Prediction-market record over all time:',
      facts: traderFacts(body),
      notes: coverageNotes(coverage),
      inputs: [shown, coverage ?? ''],
      asOf: isoOf(asOf),
    })
  },
})

/** The record over a range, which the leaderboard of that range has. Its rows are those of listed traders. */
async function recordOver(
  range: '30d' | '90d',
  { address, coverage, readers }: { address: string; coverage: string | null; readers: Readers },
): Promise<Answer> {
  const { rows: trader } = await readers.detail(traderOf(address))
  const only = { where: 'wallet = $only', params: { only: trader }, limit: 1 }
  const { body, asOf } = await readers.refine('GET /pm-traders', { sort: 'pnl', range }, only, listedTrader)
  const period = traderPeriods[range]
  const none =
    `No result of ${address} over ${period} is listed. A list has traders with a complete history, enough closed ` +
    'markets, and one that closed in the period.'
  return answerOf({
    headline: body.length > 0 ? `Prediction-market record over ${period}:` : none,
    facts: body.map((row) => ({ ...listedTraderFact(row), name: address })),
    notes: coverageNotes(coverage),
    inputs: [address, period, coverage ?? ''],
    asOf: isoOf(asOf),
  })
}

/** The trader whose figures `/pm-wallet` has for an address. */
const traderOf = (text: string): Detail<string> => ({
  endpoint: 'GET /pm-wallet',
  reads: ['scores'],
  read: async (snapshot) => {
    const address = parseAddress(text)
    return address === null ? text : answeringTrader(snapshot, address)
  },
})

/**
 * The record of a trader as facts: none without a trade. The endpoint serves zeros then, which would read as measured.
 */
export const traderFacts = (body: z.output<typeof traderProfile>): Fact[] =>
  body.pm_profile.markets_traded === 0 ? [] : [traderFact(body)]

/** The sentence on a trader without facts. */
export const noTradeOf = ({ pm_profile }: z.output<typeof traderProfile>): string =>
  `No trade of ${pm_profile.address} on prediction markets is stored.`

const traderFact = ({ pm_profile: row }: z.output<typeof traderProfile>): Fact => ({
  name: row.address,
  figures: [
    { name: 'total PnL', value: row.total_pnl, unit: 'usd' },
    { name: 'win rate', value: row.win_rate, unit: 'share' },
    { name: 'closing line value', value: row.clv_score, unit: 'points' },
    { name: 'markets traded', value: row.markets_traded, unit: 'count' },
  ],
  words: [row.archetype],
  source: { type: 'wallet', entity: row.address, signal_id: '' },
})
