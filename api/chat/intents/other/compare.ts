import { z } from 'zod'

import { answerOf, type Answer } from '#api/chat/answering/answer.ts'
import type { Readers } from '#api/chat/answering/readers.ts'
import { defineIntent, type Match } from '#api/chat/intent.ts'
import { marketSlot, pmMarkets } from '#api/chat/intents/lists/ask_pm_markets.ts'
import { attentionRanges, signals } from '#api/chat/intents/lists/ask_signals.ts'
import { noTradeOf, traderFacts, traderProfile } from '#api/chat/intents/profiles/ask_pm_wallet.ts'
import { nothingKnownOf, walletFacts, walletProfile } from '#api/chat/intents/profiles/ask_wallet.ts'
import { isOfMarkets } from '#api/chat/intents/profiles/of_one_address.ts'
import { addressSlot, coverageNotes, isoOf, omitNulls } from '#api/chat/intents/slots.ts'
import { rangeOf } from '#api/chat/reading/periods.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { venueNames } from '#api/chat/reading/venue_words.ts'
import { venues } from '#registry/venues/index.ts'

const slots = z.strictObject({
  of: z.enum(['signals', 'pm_markets', 'pm_wallet', 'wallet']),
  items: z.array(z.string().min(1).max(260)).min(2).max(10).describe('Symbols, ids of markets or addresses'),
  range: z.enum(['7d', '30d']).default('30d').describe('The period of attention'),
})

type Slots = z.output<typeof slots>

export const compare = defineIntent({
  name: 'compare',
  doc: 'Two or more assets, markets, traders or wallets side by side.',
  examples: [
    'Compare the mindshare of BTC and ETH',
    `Fed cut odds on ${venues
      .map(({ label }) => label)
      .slice(0, 2)
      .join(' vs ')}`,
  ],
  slots,
  match: async (reading): Promise<Match<z.input<typeof slots>> | null> => {
    const { assets, addresses, marketIds, period, text } = reading
    const range = rangeOf(period, attentionRanges)
    if (addresses.length > 1) {
      const kind = isOfMarkets(reading) ? 'pm_wallet' : 'wallet'
      return { score: 86, slots: { of: kind, items: addresses.map(({ shown }) => shown) } }
    }
    if (marketIds.length > 1) return { score: 86, slots: { of: 'pm_markets', items: marketIds } }
    const isList = assets.length > 1 && listed.test(text) && !otherList.test(text)
    if (!cue.test(text) && !isList && reading.platforms.length < 2) return null
    const markets = isAboutMarkets.test(reading.plain) || assets.length < 2 ? await marketsBesideEachOther(reading) : []
    // `against solana flipping ethereum` names one market.
    if (markets.length < 2 && isAboutMarkets.test(reading.plain) && (reading.titles[0]?.share ?? 0) > 0.85) return null
    if (markets.length > 1) return { score: 85, slots: { of: 'pm_markets', items: markets } }
    if (assets.length < 2 || addresses.length > 0) return demands.test(text) ? lacking(reading) : null
    if (range === undefined) return { score: 85, missing: 'range' }
    return { score: 85, slots: { of: 'signals', items: assets, ...omitNulls({ range }) } }
  },
  answer: async (comparison, context) => answers[comparison.of](comparison, context),
})

type Context = { readers: Readers }

const answers: Record<Slots['of'], (slots: Slots, context: Context) => Promise<Answer>> = {
  signals: async ({ items, range }, context) => signals.answer({ assets: items, range, sort: 'mindshare' }, context),
  pm_markets: async ({ items }, context) =>
    pmMarkets.answer({ markets: items.map((id) => marketSlot.parse(id)), status: 'all', sort: 'volume' }, context),
  pm_wallet: async ({ items }, { readers }) => {
    const read = await Promise.all(
      items.map((address) => readers.get('GET /pm-wallet', { address: addressSlot.parse(address) }, traderProfile)),
    )
    return sideBySide(read.map(({ body, ...rest }) => ({ ...rest, facts: traderFacts(body), none: noTradeOf(body) })))
  },
  wallet: async ({ items }, { readers }) => {
    const read = await Promise.all(
      items.map((address) => readers.get('GET /wallet', { address: addressSlot.parse(address) }, walletProfile)),
    )
    return sideBySide(
      read.map(({ body, ...rest }) => ({ ...rest, facts: walletFacts(body), none: nothingKnownOf(body) })),
    )
  },
}

/** What is known of one address: its facts, or the sentence of an address that has none. */
type Side = { facts: Answer['facts']; none: string; coverage: string | null; asOf: number | null }

const sideBySide = (rows: Side[]): Answer => {
  const without = rows.flatMap(({ facts, none }) => (facts.length === 0 ? [none] : []))
  const coverage = [...new Set(rows.flatMap((side) => coverageNotes(side.coverage)))]
  return answerOf({
    headline: without.length === rows.length ? 'Nothing to compare:' : 'Side by side:',
    facts: rows.flatMap(({ facts }) => facts),
    notes: [...without, ...coverage],
    inputs: [...without, ...coverage],
    asOf: isoOf(
      rows.reduce<number | null>(
        (least, { asOf }) => (least === null || (asOf !== null && asOf < least) ? asOf : least),
        null,
      ),
    ),
  })
}

const cue =
  /\b(compare|comparison|compared|versus|vs|v|against|difference|differ|or|than|better|side by side|head to head|between|who wins|which (one )?(is|has|of)|gap|relative to|next to|agree|disagree|stack up|ahead of|more|beat(s|ing)?|both)\b/
/** Several assets in a row: `mindshare of BTC, ETH and SOL`. */
const listed = /<asset>(?:,? (?:and|&|\+) | ?[,/&+] ?)<asset>/
const otherList = /\b(why|signals?|feed|alerts?|markets?|odds)\b/
const demands = /^\W*(?:please )?compare\b|\b(?:vs|versus)\b/

/** A comparison with one thing lacks the other. */
const lacking = ({ assets, addresses, unknownAsset, subject }: Reading): Match<z.input<typeof slots>> | null => {
  if (addresses.length === 1) return { score: 85, missing: 'address' }
  return assets.length === 1 && (unknownAsset !== null || subject.length <= 1) ? { score: 85, missing: 'asset' } : null
}

const isAboutMarkets = new RegExp(
  String.raw`\b(odds|markets?|probability|probabilities|chances?|likely|likelier|${venueNames}|prediction|volume|yes|priced?|bet)\b`,
)
/**
 * Borders between the parts of a comparison, the surest first: `is ETH likelier to hit 5k than BTC 150k` has two parts.
 */
const borders = [
  /\b(?:vs?\.?|versus|against|compared (?:to|with)|than|next to|relative to)\b/,
  /\b(?:or|and|with|to)\b|,|&|\//,
]

/** Markets of two venues with the same subject, or of the parts of a question. */
async function marketsBesideEachOther({ platforms, titles, plain, findTitles }: Reading): Promise<string[]> {
  if (platforms.length > 1) {
    const ofEach = platforms.flatMap((platform) =>
      titles.filter((title) => title.platform === platform && title.share >= 0.4).slice(0, 1),
    )
    if (ofEach.length > 1) return ofEach.map(({ id }) => id)
  }
  for (const border of borders) {
    const parts = plain.split(border).filter((part) => part.trim() !== '')
    if (parts.length < 2 || parts.length > 6) continue
    const titlesByPart = await Promise.all(parts.map(findTitles))
    const best = titlesByPart.flatMap((titlesOf) =>
      titlesOf.filter(({ share, is_open }) => share >= 0.6 && is_open).slice(0, 1),
    )
    if (best.length > 1) return [...new Set(best.map(({ id }) => id))]
  }
  return []
}
