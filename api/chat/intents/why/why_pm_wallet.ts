import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { quotedText } from '#api/chat/answering/plain_text.ts'
import type { Detail } from '#api/chat/answering/readers.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { noTradeOf, traderFacts, traderProfile } from '#api/chat/intents/profiles/ask_pm_wallet.ts'
import { isOfMarkets } from '#api/chat/intents/profiles/of_one_address.ts'
import { addressSlot, coverageNotes, isoOf } from '#api/chat/intents/slots.ts'
import { ofParts, ofReasons } from '#api/chat/reading/concepts/reasons.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { parseAddress } from '#api/contract/address.ts'
import { answeringTrader } from '#api/endpoints/pm_wallet.ts'

const mostMarkets = 5

const row = z.object({ market_id: z.string(), question: z.string(), cost: z.number(), pnl: z.number() })

/** The markets with the largest results of a trader, by size; of the address that `/pm-wallet` answers for. */
const marketsOf = (text: string): Detail<z.output<typeof row>[]> => ({
  endpoint: 'GET /pm-wallet',
  reads: ['scores'],
  read: async (snapshot) => {
    const address = parseAddress(text)
    if (!address || !snapshot.tables.has('pm_wallet_markets')) return []
    const trader = await answeringTrader(snapshot, address)
    const rows = await snapshot.query(
      `select market_id, question, cost, pnl from marts.pm_wallet_markets where address = $trader
       order by abs(pnl) desc, market_id limit ${mostMarkets}`,
      { trader },
    )
    return z.array(row).parse(rows)
  },
})

export const whyPmWallet = defineIntent({
  name: 'why_pm_wallet',
  doc: 'The markets behind the PnL of a trader, the largest results first.',
  examples: ['Which markets made the PnL of 0xBBc264c10F54A61607A31B53358a5A87d4B045be?'],
  slots: z.strictObject({ address: addressSlot }),
  match: (reading) => {
    const [address, ...others] = reading.addresses
    if (!address || others.length > 0 || !asksForParts(reading) || !isOfMarkets(reading)) return null
    return { score: 84, slots: { address: address.shown } }
  },
  answer: async ({ address }, { readers }) => {
    const profile = await readers.get('GET /pm-wallet', { address }, traderProfile)
    const { rows, asOf } = await readers.detail(marketsOf(address))
    const record = traderFacts(profile.body)
    const none = record.length === 0 ? noTradeOf(profile.body) : 'No market of this address is known.'
    return answerOf({
      headline: rows.length > 0 ? 'The record, and the markets with the largest results:' : none,
      facts: [...record, ...rows.map(marketFact)],
      notes: coverageNotes(profile.coverage),
      inputs: [profile.body.pm_profile.address, profile.coverage ?? ''],
      asOf: isoOf(asOf),
    })
  },
})

const marketFact = ({ market_id, question, cost, pnl }: z.output<typeof row>): Fact => ({
  name: quotedText(question, market_id),
  figures: [
    { name: 'PnL', value: pnl, unit: 'usd' },
    { name: 'paid', value: cost, unit: 'usd' },
  ],
  words: [],
  source: { type: 'market', entity: market_id, signal_id: '' },
})

/**
 * `how did 0x… make so much`, `what does 0x… earn with`: the verb stands after the address. `make in the last month` asks
 * for a figure.
 */
const verbs =
  /\b(?:how|where) (?:did|does|has|do) .{0,60}(?:made|make|making|earn\w*|los[et]\w*|win|won|get (?:so )?rich|profit\w*|that much|so much)|\bwhat (?:did|does|do|has) .{0,60}(?:earn|make|profit|lose|win|gain|blow|burn|waste|spend)\b.{0,40}\b(?:with|from|on|in)\b(?! (?:the )?(?:last|past|previous|trailing|\d))/

/** Whether a question about an address asks what is behind its figures, and not what it holds. */
export const asksForParts = ({ plain, means }: Reading): boolean =>
  (means(ofReasons) || means(ofParts) || verbs.test(plain)) &&
  !/\b(hold|holds|holding|holdings|portfolio|balance|own|owns|sit|sits|sitting|keep|keeps|doing|perform\w*|how many|how much|percentage|proportion|ratio|how often)\b|\b(?:have|has)\W*$/.test(
    plain,
  )
