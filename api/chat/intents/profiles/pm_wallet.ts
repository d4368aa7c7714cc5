import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { addressSlot, coverageNotes, isoOf } from '#api/chat/intents/slots.ts'
import { archetypes } from '#api/endpoints/pm_traders.ts'

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
  doc: 'The prediction-market record of one address over all time.',
  examples: ['How many markets did 0xBBc264c10F54A61607A31B53358a5A87d4B045be trade?'],
  slots: z.strictObject({ address: addressSlot }),
  match: (reading) => {
    const [address] = reading.addresses
    if (!address) return lacksAddress(reading) && isOfMarkets(reading) ? { score: 72, missing: 'address' } : null
    return isOfMarkets(reading) ? { score: 64, slots: { address: address.shown } } : null
  },
  answer: async ({ address }, { readers }) => {
    const { body, asOf, coverage } = await readers.get('GET /pm-wallet', { address }, traderProfile)
    // The endpoint serves zeros for an address without trades. As facts they would read as measured.
    const { markets_traded } = body.pm_profile
    const none = `No trade of ${body.pm_profile.address} on prediction markets is stored.`
    return answerOf({
      headline: markets_traded === 0 ? none : 'Prediction-market record over all time:',
      facts: markets_traded === 0 ? [] : [traderFact(body)],
      notes: coverageNotes(coverage),
      given: [body.pm_profile.address, coverage ?? ''],
      asOf: isoOf(asOf),
    })
  },
})

/** The record of a trader as a fact. */
export const traderFact = ({ pm_profile: row }: z.output<typeof traderProfile>): Fact => ({
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
