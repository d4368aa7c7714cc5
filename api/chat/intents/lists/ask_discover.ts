import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { lacksAddress } from '#api/chat/intents/profiles/of_one_address.ts'
import { chainSlot, isoOf, limitSlot, omitNulls, rowsOf } from '#api/chat/intents/slots.ts'
import { byVolume, byWinRate, ofBetting, ofChains, people, results } from '#api/chat/reading/concepts/results.ts'
import { rangeOf } from '#api/chat/reading/periods.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { walletTags } from '#api/endpoints/discover.ts'

import { orderOf } from './ask_pm_traders.ts'

const wallet = z.object({
  address: z.string(),
  chain: z.string(),
  pnl_30d: z.number(),
  volume_30d: z.number(),
  win_rate: z.number(),
  tags: z.array(z.enum(walletTags)),
})

const ranges = { '7d': 7, '30d': 30, '90d': 90 } as const

export const discover = defineIntent({
  name: 'discover',
  doc: 'The leaderboard of on-chain wallets by PnL, volume or win rate, on all chains or one.',
  examples: ['What are the best wallets on base?', 'Smart money on solana this week'],
  slots: z.strictObject({
    chain: chainSlot.optional().describe('By default all chains'),
    sort: z.enum(['pnl', 'volume', 'win_rate']).default('pnl'),
    range: z.enum(['7d', '30d', '90d']).default('30d').describe('The period of the order and of the win rate'),
    tag: z.enum(walletTags).optional().describe('Only wallets with this tag'),
    order: z.enum(['best', 'worst']).default('best').describe('`worst` begins with the end of the list'),
    limit: limitSlot.optional(),
  }),
  match: (reading) => {
    const score = scoreOf(reading)
    if (score === 0) return null
    const { plain, chain, unknownChain, tag, limit } = reading
    if (chain === null && unknownChain !== null) return { score, missing: 'chain' }
    const range = rangeOf(periodBesideTag(reading), ranges)
    if (range === undefined) return { score, missing: 'range' }
    return {
      score,
      slots: omitNulls({
        chain,
        range,
        sort: sortOf(reading),
        tag: tagOf(plain, tag),
        order: tag === 'losing_90d' ? null : orderOf(reading),
        limit,
      }),
    }
  },
  answer: async ({ chain = 'all', sort, range, tag, order, limit }, { readers }) => {
    const query = { chain, sort, range, limit: String(rowsOf(limit)) }
    const refinement = {
      ...(tag === undefined ? {} : { where: 'list_contains(tags, $only)', params: { only: tag } }),
      ...(order === 'worst' ? { order: 'rank desc' } : {}),
      limit: rowsOf(limit),
    }
    const read =
      tag !== undefined || order === 'worst'
        ? await readers.refine('GET /discover', query, refinement, wallet)
        : await readers.get('GET /discover', query, z.array(wallet))
    const names = { pnl: 'PnL', volume: 'volume', win_rate: 'win rate' }
    const where = chain === 'all' ? 'all chains' : chain
    const headline = `Wallets on ${where} by ${names[sort]} over ${range}${order === 'worst' ? ', the last first' : ''}:`
    return answerOf({
      headline: read.body.length > 0 ? headline : `No such wallet is listed on ${where}.`,
      facts: read.body.map((row) => walletFact(row, range)),
      inputs: [range, where],
      asOf: isoOf(read.asOf),
    })
  },
})

const walletFact = (row: z.output<typeof wallet>, range: string): Fact => ({
  name: row.address,
  figures: [
    { name: 'PnL 30d', value: row.pnl_30d, unit: 'usd' },
    { name: 'volume 30d', value: row.volume_30d, unit: 'usd' },
    { name: `win rate ${range}`, value: row.win_rate, unit: 'share' },
  ],
  words: [row.chain, ...row.tags],
  source: { type: 'wallet', entity: row.address, signal_id: '' },
})

/** The period of the tags `profitable_90d` and `losing_90d` is no range. */
const periodBesideTag = ({ tag, period }: Reading) => (tag === 'profitable_90d' || tag === 'losing_90d' ? null : period)

const scoreOf = (reading: Reading): number => {
  const { text, plain, addresses, tag, chain, unknownChain, archetype, means } = reading
  if (addresses.length > 0 || /<(market|signal)>/.test(text)) return 0
  if (/\bwatch ?lists?\b/.test(text) || (/\b(?:this|that) (?:wallet|address)\b/.test(plain) && lacksAddress(reading)))
    return 0
  const isCued = means(ofChains) || (tag !== null && !/\bmarkets?\b/.test(plain))
  const isBetting = means(ofBetting)
  if (isCued)
    return (
      57 +
      (chain !== null || unknownChain !== null ? 8 : 0) +
      (tag === null ? 0 : tag === 'whale' ? 3 : 6) -
      (isBetting ? 12 : 0)
    )
  const isPeople =
    /\b(traders?|jeets?|apers?|leaderboard|snipers?|scalpers?|bots?|who|profitable|volume|pnl|top|best|worst|biggest|most)\b/.test(
      plain,
    ) ||
    archetype !== null ||
    means(people) ||
    (means(results) && /\b(who|whos|who's|wallets?|guys|people|jeets|anyone)\b/.test(plain))
  return chain !== null && isPeople && !isBetting ? 61 : 0
}

/** `whale` and other nouns name a tag; `biggest wallets` does not. */
const tagOf = (_text: string, tag: string | null) => walletTags.find((candidate) => candidate === tag) ?? null

const sortOf = ({ means }: Reading): 'volume' | 'win_rate' | undefined =>
  means(byWinRate) ? 'win_rate' : means(byVolume) ? 'volume' : undefined
