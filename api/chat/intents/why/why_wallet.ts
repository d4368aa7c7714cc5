import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { symbolText } from '#api/chat/answering/plain_text.ts'
import type { Detail } from '#api/chat/answering/readers.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { nothingKnownOf, walletFact, walletFacts, walletProfile } from '#api/chat/intents/profiles/ask_wallet.ts'
import { isOfMarkets } from '#api/chat/intents/profiles/of_one_address.ts'
import { addressSlot, chainSlot, coverageNotes, isoOf, omitNulls } from '#api/chat/intents/slots.ts'
import { parseAddress } from '#api/contract/address.ts'

import { asksForParts } from './why_pm_wallet.ts'

const mostTokens = 5

const row = z.object({
  token: z.string(),
  symbol: z.string().nullable(),
  realized_30d: z.number(),
  realized_all_time: z.number(),
  bought: z.number(),
  sold: z.number(),
})

type Row = z.output<typeof row>

/** The tokens with the largest results of a wallet on a chain, by size. */
const tokensOf = (text: string, chain: string): Detail<Row[]> => ({
  endpoint: 'GET /wallet',
  reads: ['scores'],
  read: async ({ tables, query }) => {
    const key = parseAddress(text)?.key
    if (key === undefined || !tables.has('wallet_tokens')) return []
    const rows = await query(
      `select token, symbol, realized_30d, realized_all_time, bought, sold from marts.wallet_tokens
       where address = $key and chain = $chain order by abs(realized_all_time) desc, token limit ${mostTokens}`,
      { key, chain },
    )
    return z.array(row).parse(rows)
  },
})

export const whyWallet = defineIntent({
  name: 'why_wallet',
  doc: 'The tokens behind the PnL of an on-chain wallet: the sums of their lots, the largest results first.',
  examples: ['Which tokens are behind the PnL of 0xBBc264c10F54A61607A31B53358a5A87d4B045be on base?'],
  slots: z.strictObject({
    address: addressSlot,
    chain: chainSlot.optional().describe('By default the most active one'),
  }),
  match: (reading) => {
    const [address, ...others] = reading.addresses
    if (!address || others.length > 0 || !asksForParts(reading) || isOfMarkets(reading)) return null
    return { score: 83, slots: { address: address.shown, ...omitNulls({ chain: reading.chain }) } }
  },
  answer: async ({ address, chain }, { readers }) => {
    const profile = await readers.get('GET /wallet', omitNulls({ address, chain }), walletProfile)
    const { rows, asOf } = await readers.detail(tokensOf(address, profile.body.chain))
    const { body, coverage } = profile
    const isKnown = rows.length > 0 || walletFacts(body).length > 0
    const none = isKnown ? 'No traded token of this address is known.' : nothingKnownOf(body)
    return answerOf({
      headline: rows.length > 0 ? `The wallet on ${body.chain}, and the tokens with the largest results:` : none,
      facts: isKnown ? [walletFact(body), ...rows.map((token) => tokenFact(address, token))] : [],
      notes: coverageNotes(coverage),
      inputs: [body.address, body.chain, coverage ?? ''],
      asOf: isoOf(asOf),
    })
  },
})

const tokenFact = (address: string, { token, symbol, ...sums }: Row): Fact => ({
  name: symbolText(symbol ?? token, /^[\w:]{1,64}$/.test(token) ? token : 'a token'),
  figures: [
    { name: 'realized all time', value: sums.realized_all_time, unit: 'usd' },
    { name: 'realized 30d', value: sums.realized_30d, unit: 'usd' },
    { name: 'bought', value: sums.bought, unit: 'usd' },
    { name: 'sold', value: sums.sold, unit: 'usd' },
  ],
  words: [],
  source: { type: 'wallet', entity: address, signal_id: '' },
})
