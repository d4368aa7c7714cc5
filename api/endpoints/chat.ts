import { z } from 'zod'

import { tiers } from '#accounts/tiers.ts'
import { defineAsk } from '#api/contract/define.ts'
import { sourceTypes } from '#api/contract/endpoint.ts'
import { textOf } from '#api/contract/watchlist_items.ts'

const mostCharacters = 500
const queryForm = `a question of 1 to ${mostCharacters} characters`

export const chat = defineAsk({
  path: '/chat',
  summary: 'Natural-language assistant',
  doc: `Answers a question in English from the same data as the other endpoints, at the time of the request. It states
only figures of these data, with their instant, and gives no advice. It changes nothing.

A router of fixed rules chooses the data. A language model chooses them if the installation has one; the figures are the
same. Questions may name assets, markets by words of their titles, addresses, chains, venues and periods. \`today\` and
\`the last hour\` count back from the instant of the served feed, and the answer names the resulting instant. The assistant
compares, ranks, and explains: the evidence of a signal, the markets or tokens behind a profit, the definition of a
term. If a question is not clear or the data do not hold its answer, the answer says so and gives examples.

A question also counts against a limit of its own: ${tiers.pro.chats} a minute for pro, ${tiers.enterprise.chats} for
enterprise. \`X-Chat-Plan\` is base64url of JSON: the chosen data with their parameters.`,
  body: z
    .strictObject({
      query: textOf(mostCharacters, queryForm).meta({ description: `The question: ${queryForm}` }),
    })
    .meta({ id: 'ChatQuestion' }),
  bodyExample: { query: 'Which markets have the most volume?' },
  item: z
    .strictObject({
      answer: z.string().meta({ description: 'The answer, in lines of text' }),
      sources: z
        .array(
          z.strictObject({
            type: z.enum(sourceTypes).meta({ description: 'The kind of entity' }),
            entity: z.string().meta({ description: 'An address, a symbol, the id of a market, or a name' }),
            signal_id: z.string().meta({ description: 'The id of the signal; empty if it is not a signal' }),
          }),
        )
        .meta({ description: 'The origins of the stated figures' }),
    })
    .meta({ id: 'ChatAnswer' }),
  example: {
    answer:
      'Attention over 7d:\n- SOL: mindshare 11.48 %, change +2.15 points, rank 3, bullish\nAs of 2026-01-31T12:00:00.000Z.',
    sources: [{ type: 'social', entity: 'SOL', signal_id: '' }],
  },
  headers: {
    'X-Chat-Engine': 'Who chose the data: `rules` or `llm`',
    'X-Chat-Plan': 'The chosen data and their parameters, as base64url of JSON',
    'X-Data-As-Of': 'The instant of the figures, if the answer has any',
  },
  ask: async ({ query }, { ask, ...as }) => {
    const { text, sources, plan, asOf, engine } = await ask(query, as)
    return {
      body: { answer: text, sources },
      headers: [
        ['X-Chat-Engine', engine],
        ['X-Chat-Plan', Buffer.from(JSON.stringify(plan)).toString('base64url')],
        ...(asOf === null ? [] : [['X-Data-As-Of', asOf] satisfies [string, string]]),
      ],
    }
  },
})
