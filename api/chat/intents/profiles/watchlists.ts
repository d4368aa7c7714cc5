import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { quotedText, symbolText } from '#api/chat/answering/plain_text.ts'
import { defineIntent } from '#api/chat/intent.ts'

const shape = z.array(
  z.object({ id: z.string(), name: z.string(), type: z.string(), items: z.array(z.string()), created_at: z.string() }),
)

const mostItems = 10

export const watchlists = defineIntent({
  name: 'watchlists',
  doc: "The caller's watchlists with their items.",
  examples: ['Show my watchlists'],
  slots: z.strictObject({}),
  match: ({ plain, addresses }) =>
    addresses.length === 0 &&
    /\bwatch ?-?lists?\b|\b(my|our) (\w+ )?lists?\b|\b((am|are) (i|we)|(i|we)('m| am|'re| are)) (currently )?(watching|following|tracking)\b|\b(which|what|how many) lists (do|did|have) (i|we)\b|\bdo (i|we) (currently )?(watch|follow|track)\b/.test(
      plain,
    )
      ? { score: 78, slots: {} }
      : null,
  answer: async (_slots, { readers }) => {
    const { body } = await readers.get('GET /watchlists', {}, shape)
    return answerOf({
      headline: body.length > 0 ? 'Your watchlists:' : 'You have no watchlist.',
      facts: body.map(({ id, name, type, items }) => ({
        name: quotedText(name, id),
        figures: [{ name: `items (${type})`, value: items.length, unit: 'count' }],
        words: items.slice(0, mostItems).map((item) => (item.includes(':') ? item : symbolText(item, item))),
        source: { type: 'account', entity: id, signal_id: '' },
      })),
    })
  },
})
