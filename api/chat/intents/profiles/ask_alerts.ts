import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { symbolText } from '#api/chat/answering/plain_text.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { concept } from '#api/chat/reading/concepts/concept.ts'
import { saysAny } from '#api/chat/reading/phrases/phrases.ts'

const alert = z.object({
  id: z.string(),
  type: z.string(),
  entity: z.string(),
  threshold: z.record(z.string(), z.union([z.number(), z.string()])),
  active: z.boolean(),
})

const mostAlerts = 20

const alarm = 'alert|alarm|notification|reminder|trigger|ping|warning'
const toNotify = 'notify|alert|ping|warn|remind|email|text|message'
const set = 'set|make|create|have|get|configure|register|define|add'

/** Ways to ask for the alerts that the caller has. */
const ofOwnAlerts = concept(
  `my|our ${alarm}, my|our ~ ${alarm}, ${alarm} do|have|did i|we, do|have i|we ~ ${alarm}, do i|we have ~ ${alarm}, have i|we got ~ ${alarm}
  ${alarm} i|we ${set}, ${alarm} that i|we ~ ${set}, ${alarm} i|we ~ ${set}, ${alarm} ~ for me, ${alarm} ~ of mine, ${alarm} ~ on|for my account, did i|we ~ ${set} ~ ${alarm}
  be i|we ~ ${toNotify}, be i|we going to be ${toNotify}, will|would i|we ~ ${toNotify}, do i|we ~ ${toNotify}, i|we get ${toNotify}
  do you ~ ${toNotify} me|us, you ${toNotify} me|us about|on|of|for, did|have i|we ~ set|ask ~ up|you ~ ${toNotify}, set up to ${toNotify} me|us, set to go off
  ${alarm} be i|we ~ using|running|with|getting|receiving, ${alarm} i|we ~ turn|switch|paused|muted|disabled|enabled, ask|want you to ${toNotify}, you to ${toNotify} me|us about|of
  condition|threshold|rule|trigger i|we ~ set|have, condition|threshold|rule|trigger have|did i|we ~ set|have, do|have i|we ~ anything|something ~ watching|set|monitoring
  ${alarm}|message ~ go|sent|come to me|us, trigger ~ message|mail|email ~ me|us, alert|notification|alarm ~ set up, alert|notification|alarm active|enabled|pending|configured`,
)

/** The whole question: `show alerts`. With any further word, such as `show whale alerts`, it asks for signals. */
const isBare = saysAny(
  /^\W*(?:(?:show|list|see|view|display|get|give|check)(?: me)?(?: all)?(?: the)? )?(?:alerts|alarms|notifications|reminders)\W*$/,
)

export const alerts = defineIntent({
  name: 'alerts',
  doc: "The caller's alerts with their conditions.",
  examples: ['Which alerts do I have?'],
  slots: z.strictObject({}),
  match: ({ means, plain }) => (means(ofOwnAlerts) || isBare(plain) ? { score: 93, slots: {} } : null),
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
