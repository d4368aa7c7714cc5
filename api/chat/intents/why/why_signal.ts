import { z } from 'zod'

import { tierNames, tiersUpTo } from '#accounts/tiers.ts'
import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { symbolText } from '#api/chat/answering/plain_text.ts'
import type { Detail } from '#api/chat/answering/readers.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { signalTypes } from '#api/chat/intents/lists/feed_items.ts'
import { isoOf } from '#api/chat/intents/slots.ts'
import { ofReasons } from '#api/chat/reading/concepts/reasons.ts'

const evidence = z.object({ kind: z.string(), ref: z.string(), at: z.string(), value: z.number() })

const row = z.object({
  id: z.string(),
  type: z.enum(signalTypes),
  entity: z.string(),
  tier_required: z.enum(tierNames),
  score: z.number(),
  evidence: z.array(evidence),
})

/** A signal of the feed with its evidence. */
const signalDetail = (id: string): Detail<z.output<typeof row>[]> => ({
  endpoint: 'GET /feed',
  reads: ['pulse'],
  read: async ({ tables, query }, tier) => {
    if (!tables.has('feed')) return []
    const stored = await query(
      `select id, type, entity, tier_required, score, list_transform(evidence, e -> struct_pack(
         kind := e.kind, ref := e.ref, at := strftime(e.ts, '%Y-%m-%dT%H:%M:%S.%gZ'), value := e.value))::json::varchar as evidence
       from marts.feed where id = $id`,
      { id },
    )
    const rows = z
      .array(row)
      .parse(stored.map((signal) => ({ ...signal, evidence: JSON.parse(String(signal['evidence'])) as unknown })))
    // The detail of a signal needs the tier of the signal, as in the feed.
    return rows.filter(({ tier_required }) => tiersUpTo(tier).includes(tier_required))
  },
})

export const whySignal = defineIntent({
  name: 'why_signal',
  doc: 'The evidence of one signal of the feed.',
  examples: ['What is the evidence of signal sig_5f0c1a8e?'],
  slots: z.strictObject({ signal: z.string().min(1).max(80).describe('The id of a signal') }),
  match: ({ signals: [signal], plain, means }) => {
    if (signal !== undefined) return { score: 90, slots: { signal } }
    const isOne = /\b(this|that|the) signal\b/.test(plain) && (means(ofReasons) || /\bevidence\b/.test(plain))
    return isOne ? { score: 74, missing: 'signal' } : null
  },
  answer: async ({ signal }, { readers }) => {
    const { rows, asOf } = await readers.detail(signalDetail(signal))
    const [detail] = rows
    return answerOf({
      headline: detail ? 'The signal and its evidence:' : 'No such signal is in the feed.',
      facts: detail ? [signalRow(detail), ...detail.evidence.map((reference) => evidenceFact(detail, reference))] : [],
      asOf: isoOf(asOf),
    })
  },
})

const signalRow = ({ id, type, entity, score }: z.output<typeof row>): Fact => ({
  name: symbolText(id, 'signal'),
  figures: [{ name: 'score', value: score, unit: 'count' }],
  words: [type, entity],
  source: { type, entity, signal_id: id },
})

const evidenceFact = (
  { id, type, entity }: z.output<typeof row>,
  { kind, ref, at, value }: z.output<typeof evidence>,
): Fact => ({
  name: `evidence, ${symbolText(kind, 'kind unknown')}`,
  figures: [{ name: 'value', value, unit: 'amount' }],
  words: [ref.length <= 120 && /^[\w:.-]+$/.test(ref) ? ref : 'reference unknown', at],
  source: { type, entity, signal_id: id },
})
