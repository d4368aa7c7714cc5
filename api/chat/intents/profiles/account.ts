import { z } from 'zod'

import { tierNames } from '#accounts/tiers.ts'
import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'

const shape = z.object({
  tier: z.enum(tierNames),
  rate_limit: z.object({ limit: z.number(), remaining: z.number(), reset: z.number() }),
  coverage: z.object({
    chains: z.number(),
    venues: z.number(),
    social_sources: z.number(),
    data_as_of: z.string().nullable(),
  }),
})

export const account = defineIntent({
  name: 'account',
  doc: "The caller's tier and limits, the coverage of the data and their instant.",
  examples: ['What is my rate limit?', 'How fresh is the data?'],
  slots: z.strictObject({}),
  match: ({ plain, addresses, assets }) => {
    if (addresses.length > 0 || assets.length > 1) return null
    if (own.test(plain)) return { score: 76, slots: {} }
    return service.test(plain) ? { score: 72, slots: {} } : null
  },
  answer: async (_slots, { readers }) => {
    const { tier, rate_limit, coverage } = (await readers.get('GET /account', {}, shape)).body
    const source = { type: 'account', entity: tier, signal_id: '' } as const
    const count = (name: string, value: number) => ({ name, value, unit: 'count' }) as const
    return answerOf({
      headline: 'Your account and the coverage of the data:',
      facts: [
        {
          name: `tier ${tier}`,
          figures: [count('requests a minute', rate_limit.limit), count('left in this minute', rate_limit.remaining)],
          words: [],
          source,
        },
        {
          name: 'coverage',
          figures: [
            count('chains', coverage.chains),
            count('venues', coverage.venues),
            count('social sources', coverage.social_sources),
          ],
          words: coverage.data_as_of === null ? [] : [`data as of ${coverage.data_as_of}`],
          source,
        },
      ],
      asOf: coverage.data_as_of,
    })
  },
})

const own =
  /\b(my|our) (\w+ )?(tier|plan|limits?|subscription|quota|rate limits?|usage|requests?|account|endpoints?|access|calls)\b|\b(what|which) (\w+ )?(tier|plan|subscription)\b.*\bmy\b|\b(what|which) (tier|plan|subscription|package) (am|do|are|is|have)\b|\bam i (on )?(the )?(free|pro|enterprise|a)\b|\brate ?limit(s|ed)?\b|\bquota\b|\b(current|present|active) (tier|plan|usage|subscription|limits?)\b|\b(?:remaining|left) (?:requests|calls|quota)\b|\brequests? (left|remaining|a minute|per minute|can i)\b|\b(how many|number of) (requests|calls|api calls)\b|\b(how many|number of) (chats|questions)\b.*\b(left|i|remaining)\b|\bwhich endpoints\b|\bwhat can i access\b/
const service =
  /\bhow (fresh|old|recent|current|up[- ]to[- ]date|stale|new) (is|are)\b.*\b(data|figures|numbers|info|information|stats|snapshot|this|it|your)\b|\bdata\b.*\b(as of|updated|fresh|stale|current|up[- ]to[- ]date|refreshed)\b|\b(last|latest) (update|updated|refresh|snapshot)\b|\bwhen (was|were|did) .*(updated?|refreshed?|data)\b|\b(which|what|how many) ([\w-]+ )?(chains|venues|platforms|sources|networks|blockchains|social sources|exchanges)\b.*\b(cover(ed|s)?|support(ed)?|track(ed)?|have|include[ds]?|watch|index(ed)?|read|there|you|use)\b|\bhow many (chains|venues|platforms|networks|blockchains|(social )?sources)\b|\b(data )?coverage\b|\bas of (when|what)\b|\bwhat do you cover\b|\b(do|are|can) you (cover|support|track|index|follow|monitor|covering|tracking|indexing|following|have data (on|for))\b/
