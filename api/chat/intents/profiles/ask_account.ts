import { z } from 'zod'

import { tierNames } from '#accounts/tiers.ts'
import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { concept } from '#api/chat/reading/concepts/concept.ts'
import { messengerIds } from '#api/messaging/messengers.ts'

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
  match: ({ addresses, assets, means }) => {
    if (addresses.length > 0 || assets.length > 1) return null
    if (means(ofOwnAccount)) return { score: 76, slots: {} }
    return means(ofService) ? { score: 72, slots: {} } : null
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

const plans = 'tier|plan|subscription|package'
const uses = 'limit|quota|usage|request|call|endpoint|access|allowance'
const requests = 'request|call|question|query'
const apps = messengerIds.join('|')

/** Ways to ask for the tier and the limits of the caller. */
const ofOwnAccount = concept(
  `my|our ${plans}|${uses}|account|membership|billing, my|our ~ ${plans}|${uses}|account, my|our api key, my|our key ~ active|valid|expire|allow
  what|which ${plans} be|do|have i|we, what|which ${plans} be this|my, what|which ~ ${plans} ~ my|i|we, be i ~ free|pro|enterprise|a ~ ${plans}|user, be i ~ free|pro|enterprise
  rate limit, ratelimit, quota, current|present|active ${plans}|usage|limit, remaining|left ${requests}, ${requests} ~ left|remaining, ${requests} a|per minute|second|day|hour
  ${requests} can|may|do|could i|we, how many request|call, how many api call, number of request|call, how many chat|${requests} ~ left|remaining|i, how often can|may i ~ ask|call|request|query
  which|what endpoint, what|which can i access, what can i access, what|which do i ~ access, i ~ pay|paying for, i subscribed to
  my|our ${apps}, my|our email, my|our e-mail, ${apps} ~ linked|connected, e-mail|email ~ on my account, be i ~ linked|connected|logged in|signed in`,
)

const data = 'data|figure|number|info|information|stat|statistic|snapshot|it|this'
const fresh = 'fresh|old|recent|current|stale|new|outdated|live|delayed|realtime'
const parts = 'chain|venue|platform|source|network|blockchain|exchange|marketplace'

const cover = 'cover|support|track|include|watch|index|read|use|monitor'

/** Ways to ask how fresh the data are, and what they cover. */
const ofService = concept(
  `how ${fresh} be ~ ${data}, how up to date be ~ ${data}, data|figure|number|snapshot ~ as of|up to date, data ~ update|refresh|${fresh}, ${data} be updated|refreshed, be ~ data ~ real time
  last|latest update|refresh|snapshot, when be|do ~ data|figure|number|info|this|snapshot ~ last|update|refresh, when be|do ~ data|figure|number|snapshot from, as of when|what, when be you ~ update|refresh
  which|what ${parts} ~ ~ ${cover}|have|there|you, which|what|many ~ ${parts} ~ ~ ${cover}|there|you, how many ${parts}, how many social source, coverage, what do you cover|track|index
  do|be|can you ~ cover|support|track|index|follow|monitor|covering|tracking|indexing|following, you have data on|for`,
)
