import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { symbolText } from '#api/chat/answering/plain_text.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { addressSlot, chainSlot, coverageNotes, isoOf, omitNulls } from '#api/chat/intents/slots.ts'
import { walletTags } from '#api/endpoints/discover.ts'
import { behaviors } from '#api/endpoints/wallet_figures.ts'

import { lacksAddress } from './of_one_address.ts'

export const walletProfile = z.object({
  address: z.string(),
  chain: z.string(),
  tags: z.array(z.enum(walletTags)),
  pnl: z.object({
    realized_30d: z.number(),
    realized_all_time: z.number(),
    unranked_30d: z.number(),
    unranked_all_time: z.number(),
  }),
  holdings: z.array(z.object({ token: z.string(), amount: z.number(), usd_value: z.number() })),
  behavior_archetype: z.enum(behaviors),
})

const mostHoldings = 5

export const wallet = defineIntent({
  name: 'wallet',
  doc: 'The profile of one on-chain address: realized PnL of 30 days and of all time, holdings, tags, archetype.',
  examples: ['What does 0xBBc264c10F54A61607A31B53358a5A87d4B045be hold?'],
  slots: z.strictObject({
    address: addressSlot,
    chain: chainSlot.optional().describe('By default the most active one'),
  }),
  match: (reading) => {
    const [address] = reading.addresses
    if (!address) return lacksAddress(reading) ? { score: 63, missing: 'address' } : null
    return { score: 62, slots: { address: address.shown, ...omitNulls({ chain: reading.chain }) } }
  },
  answer: async ({ address, chain }, { readers }) => {
    const { body, asOf, coverage } = await readers.get('GET /wallet', omitNulls({ address, chain }), walletProfile)
    const facts = walletFacts(body)
    return answerOf({
      headline: facts.length === 0 ? nothingKnownOf(body) : `Wallet on ${body.chain}:`,
      facts,
      notes: coverageNotes(coverage),
      inputs: [body.address, body.chain, coverage ?? ''],
      asOf: isoOf(asOf),
    })
  },
})

/**
 * The profile of a wallet and its largest holdings as facts: none if neither a result nor a holding is known. The
 * endpoint serves zeros then, which would read as measured.
 */
export const walletFacts = (body: z.output<typeof walletProfile>): Fact[] => {
  const { address, pnl, holdings } = body
  if (Object.values(pnl).every((value) => value === 0) && holdings.length === 0) return []
  return [walletFact(body), ...holdings.slice(0, mostHoldings).map((holding) => holdingFact(address, holding))]
}

/** The sentence on a wallet without facts. */
export const nothingKnownOf = ({ address, chain }: z.output<typeof walletProfile>): string =>
  `No realized PnL and no holding of ${address} on ${chain} is known.`

/** The profile of a wallet as a fact. */
export const walletFact = ({
  address,
  chain,
  tags,
  pnl,
  behavior_archetype,
}: z.output<typeof walletProfile>): Fact => ({
  name: address,
  figures: [
    { name: 'realized 30d', value: pnl.realized_30d, unit: 'usd' },
    { name: 'realized all time', value: pnl.realized_all_time, unit: 'usd' },
    ...(pnl.unranked_all_time === 0
      ? []
      : [{ name: 'unranked all time', value: pnl.unranked_all_time, unit: 'usd' as const }]),
  ],
  words: [chain, behavior_archetype, ...tags],
  source: { type: 'wallet', entity: address, signal_id: '' },
})

const holdingFact = (
  address: string,
  { token, amount, usd_value }: z.output<typeof walletProfile>['holdings'][number],
): Fact => ({
  name: `holds ${symbolText(token, 'a token')}`,
  figures: [
    { name: 'amount', value: amount, unit: 'amount' },
    { name: 'worth', value: usd_value, unit: 'usd' },
  ],
  words: [],
  source: { type: 'wallet', entity: address, signal_id: '' },
})
