import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { addressSlot, isoOf, limitSlot, omitNulls, rowsOf, symbolSlot } from '#api/chat/intents/slots.ts'
import { ofEvents, ofFeed, ofMoves } from '#api/chat/reading/concepts/events.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { venueNames } from '#api/chat/reading/venue_words.ts'

import { feedItem, scoresOf, signalFact, signalTypes } from './feed_items.ts'

export const feed = defineIntent({
  name: 'feed',
  doc: 'Signals of the feed by score: by type, since an instant, or about one asset or address.',
  examples: ['What happened in the last hour?', 'Social signals since yesterday'],
  slots: z.strictObject({
    type: z.enum(signalTypes).optional(),
    since: z.iso.datetime().optional().describe('Only signals after this instant, ISO 8601 in UTC'),
    asset: symbolSlot.optional().describe('Only signals about this asset'),
    address: addressSlot.optional().describe('Only signals about this address'),
    limit: limitSlot.optional(),
  }),
  match: (reading) => {
    const score = scoreOf(reading)
    if (score === 0) return null
    const { since, limit, assets, addresses, text } = reading
    const [asset] = assets
    const address = addresses[0]?.shown
    return {
      score,
      slots: omitNulls({
        type: typeOf(text),
        since: since?.toISOString(),
        asset: address === undefined ? asset : null,
        address,
        limit,
      }),
    }
  },
  answer: async ({ type, since, asset, address, limit }, { readers }) => {
    const query = omitNulls({ type, since, limit: String(rowsOf(limit)) })
    const entity = asset ?? address
    const read =
      entity === undefined
        ? await readers.get('GET /feed', query, z.array(feedItem))
        : await readers.refine(
            'GET /feed',
            query,
            { where: 'lower(entity) = lower($only)', params: { only: entity }, limit: rowsOf(limit) },
            feedItem,
          )
    const about = [type && `of type ${type}`, entity && `about ${entity}`, since && `since ${since}`]
      .filter(Boolean)
      .join(' ')
    const scores = await readers.detail(scoresOf(read.body.map(({ id }) => id)))
    return answerOf({
      headline:
        read.body.length > 0
          ? `Signals${about && ` ${about}`}, the best score first:`
          : `No signals${about && ` ${about}`}.`,
      facts: read.body.map((signal) => signalFact(signal, scores.rows.get(signal.id))),
      inputs: [since ?? '', entity ?? ''],
      asOf: isoOf(read.asOf),
    })
  },
})

const oddities =
  /\b(anything|something|what|any)\b.{0,20}\b(unusual|abnormal|strange|weird|odd|out of the ordinary|noteworthy|notable|flagged)\b/

const deeds =
  /\b(whales?|wallets?|traders?|smart money|markets?)\b.{0,20}\b(did|do|does|doing|done|been|bought|sold|up to|moved?)\b|\b(did|do|have|has|are) (the )?(whales?|smart money)\b/
const doing =
  /\bwhat (are|have|is|has|were|did) (the |all )?(whales|sharps|traders|wallets|smart money|big (wallets|traders))( been)? (doing|do|up to|buying|selling|bought|sold)\b/
/** `how did 0x… do this month` asks for a result. */
const asksHowWell = /\bhow (?:well |badly |good )?(?:did|does|has|is|was)\b/
/** Moves of no period: the last ones. */
const newest = /\b(latest|recent|newest|unusual|biggest|sharpest|any|which odds|spikes|bursts)\b/
const lists = /\b(most|best|top|worst|highest|volume|odds|traders?|wallets on|mindshare|sentiment)\b/

const scoreOf = ({ text, plain, since, assets, addresses, means }: Reading): number => {
  if (/<signal>/.test(text)) return 0
  // The news of an address are its signals; of other news the tables hold nothing.
  if (addresses.length > 0 && /\b(news|headlines?)\b/.test(plain)) return 81
  if (since !== null && /\b(?:any|what|got|latest) news\b/.test(plain)) return 81
  if (means(ofFeed)) return /\bnews\b/.test(plain) ? 81 : 67 + (addresses.length > 0 ? 10 : 0)
  if (doing.test(plain) && addresses.length === 0) return 75
  if (
    addresses.length > 0 &&
    since !== null &&
    !asksHowWell.test(plain) &&
    /\b(do|done|doing|happen\w*|up to) ?(anything|something|things?|lately|recently|$|\W|in|since|this|over|today)\b/.test(
      plain,
    )
  )
    return 69
  if (addresses.length > 0 && /\banything (?:\w+ )?(?:on|about|from|for|by)\b/.test(plain)) return 69
  if (since !== null && /\banything (\w+ )?(about|on|for|with|from|in)\b/.test(plain)) return 69
  if (/\b(whale|wallet|market|social|smart money) (alerts?|moves?|activity|events?|updates?)\b/.test(plain)) return 70
  if (addresses.length > 0 && /\b(lately|recently)\b/.test(plain)) return 69
  if (oddities.test(plain) && assets.length === 0) return 68
  if (means(ofEvents)) return addresses.length > 0 ? 68 : 59 + (since === null ? 0 : 6) - (assets.length > 0 ? 2 : 0)
  if (addresses.length > 0) return 0
  if (means(ofMoves) && (since !== null || newest.test(plain))) return 72
  if (since === null) return 0
  if (deeds.test(plain) && !lists.test(plain)) return 72
  return assets.length === 0 && /\b(since|hours?|past day|moves?|moved)\b/.test(plain) && !lists.test(plain) ? 60 : 0
}

const marketWords = new RegExp(String.raw`\b(markets?|odds|prediction|${venueNames})\b`)

const typeOf = (text: string): (typeof signalTypes)[number] | undefined => {
  if (/\b(odds|price|volume) (?:\w+ )?(?:moves?|moved|shifts?|swings?|spikes?|bursts?|jumps?|changes?)\b/.test(text))
    return 'market'
  if (/\b(social|attention|mentions? (?:of|spikes?|bursts?|alerts?|signals?)|sentiment|buzz)\b/.test(text))
    return 'social'
  if (/\b(wallets?|whales?|on[- ]?chain|smart money|traders?)\b/.test(text)) return 'wallet'
  if (marketWords.test(text)) return 'market'
  return /\b(type signal|signal type|"signal"|conjunctions?|combined|of type signal|kind signal|signal[- ]type|signal signals)\b/.test(
    text,
  )
    ? 'signal'
    : undefined
}
