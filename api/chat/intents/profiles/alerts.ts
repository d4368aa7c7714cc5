import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { symbolText } from '#api/chat/answering/plain_text.ts'
import { defineIntent } from '#api/chat/intent.ts'

const alert = z.object({
  id: z.string(),
  type: z.string(),
  entity: z.string(),
  threshold: z.record(z.string(), z.union([z.number(), z.string()])),
  active: z.boolean(),
})

const mostAlerts = 20

export const alerts = defineIntent({
  name: 'alerts',
  doc: "The caller's alerts with their conditions.",
  examples: ['Which alerts do I have?'],
  slots: z.strictObject({}),
  match: ({ plain }) => (own.test(plain) ? { score: 79, slots: {} } : null),
  answer: async (_slots, { readers }) => {
    const { body } = await readers.get('GET /alerts', {}, z.array(alert))
    return answerOf({
      headline: body.length > 0 ? 'Your alerts:' : 'You have no alert.',
      facts: body.slice(0, mostAlerts).map(alertFact),
    })
  },
})

/** An entity is the item that the caller stored, in the form of a watchlist's. */
const alertFact = ({ id, type, entity, threshold, active }: z.output<typeof alert>): Fact => ({
  name: entity === '*' ? 'any' : entity.includes(':') ? entity : symbolText(entity, entity),
  figures: [],
  words: [
    type,
    ...Object.entries(threshold).map(([name, value]) => `${name} ${value}`),
    active ? 'active' : 'not active',
  ],
  source: { type: 'account', entity: id, signal_id: '' },
})

const own =
  /\b(my|our) (\w+ )?(alerts?|alarms?|notifications?)\b|\b(alerts?|alarms?|notifications?) (do|have|did) (i|we)\b|\bdo (i|we) have (any |some )?(\w+ )?(alerts?|alarms?|notifications?)\b|\b(alerts?|alarms?|notifications?) (that )?(i|we)('ve| have)?( \w+)? (set|made|created|have|got|configured|registered|defined|added)\b|\b(alerts?|alarms?|notifications?)\b.*\b(for me|of mine|for my account|on my account)\b|\b(alerts?|alarms?|notifications?) (that )?i've \w+/
