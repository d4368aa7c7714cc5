import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { attentionRanges, momentumFact, momentumList } from '#api/chat/intents/lists/ask_signals.ts'
import { feedItem, scoresOf, signalFact } from '#api/chat/intents/lists/feed_items.ts'
import { coverageNotes, isoOf, omitNulls, rowsOf, symbolSlot } from '#api/chat/intents/slots.ts'
import { mayMeanAttention } from '#api/chat/reading/concepts/attention.ts'
import { ofReasons } from '#api/chat/reading/concepts/reasons.ts'
import { rangeOf } from '#api/chat/reading/periods.ts'

export const whyAsset = defineIntent({
  name: 'why_asset',
  doc: 'Why an asset is talked about: its momentum and the signals about it.',
  examples: ['Why is SOL trending?'],
  slots: z.strictObject({ asset: symbolSlot, range: z.enum(['7d', '30d']).default('30d') }),
  match: ({ plain, text, assets, addresses, period, titles, means }) => {
    const [asset] = assets
    if (
      asset === undefined &&
      addresses.length === 0 &&
      means(ofReasons) &&
      pointing.test(plain) &&
      means(mayMeanAttention)
    )
      return { score: 82, missing: 'asset' }
    if (
      asset === undefined ||
      assets.length > 1 ||
      addresses.length > 0 ||
      !means(ofReasons) ||
      /<(market|signal)>/.test(text)
    )
      return null
    // `why is the market on bitcoin at 31 %` names a market.
    if (/\b(odds|probability|yes price)\b/.test(plain) && titles.length > 0) return null
    return { score: 82, slots: { asset, ...omitNulls({ range: rangeOf(period, attentionRanges) }) } }
  },
  answer: async ({ asset, range }, { readers }) => {
    const momentum = await readers.get('GET /signals', { range, assets: asset }, momentumList)
    const refinement = { where: 'lower(entity) = lower($only)', params: { only: asset }, limit: rowsOf(undefined) }
    const signals = await readers.refine('GET /feed', {}, refinement, feedItem)
    const scores = await readers.detail(scoresOf(signals.body.map(({ id }) => id)))
    const [row] = momentum.body
    return answerOf({
      headline: row ? `${asset} over ${range}, and the signals about it:` : `${asset} is not tracked.`,
      facts: [
        ...momentum.body.map(momentumFact),
        ...signals.body.map((signal) => signalFact(signal, scores.rows.get(signal.id))),
      ],
      notes: [
        ...(signals.body.length === 0 ? [`No signal about ${asset} is in the feed.`] : []),
        ...coverageNotes(momentum.coverage),
      ],
      inputs: [asset, range, momentum.coverage ?? ''],
      asOf: isoOf(Math.min(momentum.asOf ?? Infinity, signals.asOf)),
    })
  },
})

/** An asset of the conversation, which the assistant does not know. */
const pointing =
  /\b(?:is|did|does|has|was|behind|about) (?:it|this|that|they)\b|\b(?:this|that) (?:asset|coin|token|one)\b/
