import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { quotedText, symbolText } from '#api/chat/answering/plain_text.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { concept } from '#api/chat/reading/concepts/concept.ts'

const shape = z.array(
  z.object({ id: z.string(), name: z.string(), type: z.string(), items: z.array(z.string()), created_at: z.string() }),
)

const mostItems = 10

/** Ways to ask for the things that the caller follows. */
const ofOwnLists = concept(
  `watchlist, watch list, watch-list, my|our list, my|our ~ list, list do|have i|we, one|any|some of my|our list
  be i|we ~ watch|follow|track|monitor, i|we be ~ watch|follow|track|monitor, i watching|following|tracking|monitoring, we watching|following|tracking|monitoring
  do i|we ~ watch|follow|track|monitor, i|we currently|already watch|follow|track|monitor, coin|token|asset|wallet|address|trader|market|thing|people|ones i|we ~ watch|follow|track|monitor
  have i|we ~ saved|bookmarked|starred|favorited|favourited|pinned, i|we saved|bookmarked|starred|favorited|favourited|pinned, my|our saved|bookmarked|starred|pinned|followed|watched|tracked
  do i|we have ~ saved|bookmarked|starred|pinned, what be in|on the ~ list, my|our bookmarks|radar, keep an eye on, keep tabs on, i|we keep ~ eye|tabs`,
)

export const watchlists = defineIntent({
  name: 'watchlists',
  doc: "The caller's watchlists with their items.",
  examples: ['Show my watchlists'],
  slots: z.strictObject({}),
  match: ({ addresses, means }) => (addresses.length === 0 && means(ofOwnLists) ? { score: 78, slots: {} } : null),
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
