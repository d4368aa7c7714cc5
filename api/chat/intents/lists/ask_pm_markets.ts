import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { quotedText } from '#api/chat/answering/plain_text.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { isoOf, limitSlot, omitNulls, rowsOf } from '#api/chat/intents/slots.ts'
import { byLeastVolume, byLikely, byUnlikely, ofMarkets } from '#api/chat/reading/concepts/betting.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { venueNames } from '#api/chat/reading/venue_words.ts'
import { parseItem } from '#api/contract/watchlist_items.ts'
import { venueIds, venues } from '#registry/venues/index.ts'

import { namedMarkets, statusOf } from './named_markets.ts'

const market = z.object({
  id: z.string(),
  question: z.string(),
  yes_price: z.number(),
  no_price: z.number(),
  volume_24h: z.number(),
  platform: z.string(),
})

const orders = {
  volume: undefined,
  least_volume: 'volume_24h',
  likely: 'yes_price desc',
  unlikely: 'yes_price',
} as const

/** The id of a market, as it is served. */
export const marketSlot = z
  .string()
  .min(3)
  .max(260)
  .overwrite((id) => parseItem('markets', id)?.shown ?? id)
  .describe('The id of a market, `<platform>:<native id>`')

export const pmMarkets = defineIntent({
  name: 'pm_markets',
  doc: 'Odds and 24-hour volume of prediction markets: certain ones by id, or a list by venue, state and order.',
  examples: ['What are the odds of a recession in 2026?', `Which ${venues[0].label} markets have the most volume?`],
  slots: z.strictObject({
    platform: z.enum(venueIds).optional().describe('By default all venues'),
    status: z.enum(['open', 'closed', 'all']).default('open'),
    markets: z.array(marketSlot).min(1).max(20).optional().describe('Ids of the markets that the question names'),
    sort: z.enum(['volume', 'least_volume', 'likely', 'unlikely']).default('volume'),
    limit: limitSlot.optional(),
  }),
  match: (reading) => {
    const named = namedMarkets(reading)
    const score = scoreOf(reading, named)
    if (score === 0) return null
    if (named.length > 0) return { score, slots: { markets: named } }
    if (asksForOne(reading) || bare.test(reading.text) || pointing.test(reading.text))
      return { score, missing: 'market' }
    const { platforms, limit } = reading
    const platform = platforms.length > 2 ? undefined : platforms[0]
    return { score, slots: omitNulls({ platform, status: statusOf(reading), sort: sortOf(reading), limit }) }
  },
  answer: async ({ platform = 'all', status, markets, sort, limit }, { readers }) => {
    const ids = { where: 'list_contains(string_split($ids, chr(10)), id)', params: { ids: markets?.join('\n') ?? '' } }
    const query = markets ? { status: 'all' } : { platform, status, limit: String(rowsOf(limit)) }
    const read =
      markets || sort !== 'volume'
        ? await readers.refine(
            'GET /pm-markets',
            query,
            { ...(markets ? ids : {}), ...omitNulls({ order: orders[sort] }), limit: markets?.length ?? rowsOf(limit) },
            market,
          )
        : await readers.get('GET /pm-markets', query, z.array(market))
    const headline = markets
      ? 'Prediction markets:'
      : `Prediction markets, ${platform === 'all' ? 'all venues' : platform}, ${status === 'all' ? 'open and closed' : status}:`
    const facts = read.body.map(marketFact)
    return answerOf({
      headline: facts.length > 0 ? headline : 'No such market is known.',
      facts,
      asOf: isoOf(read.asOf),
    })
  },
})

/** A market as a fact. */
export const marketFact = (row: z.output<typeof market>): Fact => ({
  name: quotedText(row.question, row.id),
  figures: [
    { name: 'YES', value: row.yes_price, unit: 'share' },
    { name: 'NO', value: row.no_price, unit: 'share' },
    { name: 'volume of the last day', value: row.volume_24h, unit: 'usd' },
  ],
  words: [row.platform],
  source: { type: 'market', entity: row.id, signal_id: '' },
})

const bettable = /\b(bets?|things?|events?|outcomes?|happen|markets?|yes|no|shares?)\b/
const several = /\b(markets|contracts|bets|anything|everything|all|list)\b/

const scoreOf = (reading: Reading, named: readonly string[]): number => {
  const { text, marketIds, titles, addresses, assets, means } = reading
  if (addresses.length > 0) return 0
  if (marketIds.length > 0) return 70
  const isOrdered = reading.archetype === null && reading.assets.length === 0 && (means(byLikely) || means(byUnlikely))
  const isCued = means(ofMarkets) || (isOrdered && bettable.test(text))
  const asksOutcome = /^(?:so |and |ok |but )?(will|did|does|do|is|has|have|would|are|was|were|can|could)\b/.test(text)
  const best = titles[0]?.share ?? 0
  if (named.length > 0 && isCued) return 66
  if (named.length > 0 && best > 0.85 && reading.subject.length >= 2) return asksOutcome ? 68 : 58
  if (named.length > 0 && asksOutcome && best > 0.7 && reading.subject.length >= 2) return 64
  // `will there be a recession`: its one word is the subject of a market.
  if (named.length > 0 && asksOutcome && best > 0.99 && assets.length === 0) return 58
  if (named.length > 0 && best > 0.7 && reading.subject.length >= 2) return 56
  return isCued ? 55 + (isOrdered ? 9 : 0) - (assets.length > 0 ? 2 : 0) : 0
}

/** A market of the conversation, which the assistant does not know. */
const pointing = /\b(?:odds|probability|chances?|price|volume) (?:of|for|on|in) (?:this|that) (?:market|contract|bet)\b/

/** A price of nothing. */
const bare =
  /^\W*(?:what(?:'s| is| are|s)? )?(?:the )?(?:current )?(?:odds|chances?|probability|likelihood|yes price|no price)\W*$/

const aboutOne = new RegExp(
  String.raw`\b(odds|chances?|probability|likelihood|likely|price) (of|that|for|on)\b|\bmarkets? (about|on|for) (?!(?:${venueNames}|all|any|the)\b)|\bthe \w+ (?:market|contract)\b(?!s)|\bwill\b`,
)

/** Whether a question is about one event, so that a list of markets is no answer. */
function asksForOne(reading: Reading): boolean {
  const { text, subject, limit, foreign, assets, titles } = reading
  if (subject.length === 0 || limit !== null) return false
  if (/\b(most|least|highest|lowest|top|biggest|largest|longest|shortest)\b/.test(text)) return false
  const isOfMany = several.test(text)
  if (
    !isOfMany &&
    statusOf(reading) === undefined &&
    sortOf(reading) === undefined &&
    /\b(odds|chances?|probability|likelihood|price)\b/.test(text) &&
    (foreign.length > 0 || assets.length > 0 || titles.length > 0)
  )
    return true
  if (!isOfMany && foreign.length > 0 && /\b(odds|chances?|probability|likelihood|likely) \w/.test(text)) return true
  return aboutOne.test(text) && (!isOfMany || /\b(about|on|for)\b/.test(text))
}

const sortOf = ({ text, means }: Reading): 'least_volume' | 'likely' | 'unlikely' | undefined => {
  if (means(byLeastVolume)) return 'least_volume'
  if (/\b(most|high|highest|likeliest) to (the )?(least|low|lowest)\b/.test(text)) return 'likely'
  if (means(byUnlikely)) return 'unlikely'
  return means(byLikely) ? 'likely' : undefined
}
