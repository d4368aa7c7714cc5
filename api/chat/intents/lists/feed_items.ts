import { z } from 'zod'

import { tiersUpTo } from '#accounts/tiers.ts'
import type { Fact } from '#api/chat/answering/answer.ts'
import { quotedText } from '#api/chat/answering/plain_text.ts'
import type { Detail } from '#api/chat/answering/readers.ts'

export const signalTypes = ['wallet', 'market', 'signal', 'social'] as const

export const feedItem = z.object({
  id: z.string(),
  type: z.enum(signalTypes),
  entity: z.string(),
  summary: z.string(),
  timestamp: z.string(),
  tier_required: z.string(),
})

/** The scores behind the order of the feed, by signal. A signal above the caller's tier shows none, as in the feed. */
export const scoresOf = (ids: readonly string[]): Detail<ReadonlyMap<string, number>> => ({
  endpoint: 'GET /feed',
  reads: ['pulse'],
  read: async ({ tables, query }, tier) => {
    if (!tables.has('feed') || ids.length === 0) return new Map()
    const rows = await query(
      `select id, score from marts.feed
       where list_contains(string_split($ids, ','), id) and list_contains(string_split($tiers, ','), tier_required)`,
      { ids: ids.join(), tiers: tiersUpTo(tier).join() },
    )
    return new Map(
      z
        .array(z.object({ id: z.string(), score: z.number() }))
        .parse(rows)
        .map(({ id, score }) => [id, score]),
    )
  },
})

/** A signal as a fact. Its summary is a text of strangers in part. */
export const signalFact = (
  { id, type, entity, summary, timestamp }: z.output<typeof feedItem>,
  score: number | undefined,
): Fact => ({
  name: quotedText(summary, id),
  figures: score === undefined ? [] : [{ name: 'score', value: score, unit: 'count' }],
  words: [type, entity, timestamp],
  source: { type, entity, signal_id: id },
})
