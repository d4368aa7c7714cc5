import type { Plan } from '#api/chat/intent.ts'
import type { Reading } from '#api/chat/reading/reading.ts'

import type { Answer } from './answer.ts'

/** Intents that answer with a ranked list, where a question names no entity. */
const lists = new Set(['signals', 'pm_markets', 'pm_traders', 'discover', 'feed'])
const entitySlots = ['assets', 'markets', 'asset', 'address']

const condition =
  /\b(?:above|over|under|below|beyond|more than|less than|at least|at most|greater than|fewer than|exceed\w*) (?:\$ ?)?\d[\d.,]*(?![\d.,]| ?(?:minutes?|hours?|days?|weeks?|months?|years?|h|d|w)\b)/

/**
 * An answer without the things that its question leaves out. Conditions on figures are not applied, and the answer says
 * so, as a list that ignored them would answer another question.
 */
export function narrow(answer: Answer, { intent, slots }: Plan, { excluded, plain }: Reading): Answer {
  if (!lists.has(intent) || entitySlots.some((name) => name in slots)) return answer
  const facts = answer.facts.filter(
    ({ name, words }) => !excluded.some((term) => term === name || words.includes(term)),
  )
  const notes = [
    ...(excluded.length > 0 ? [`Left out: ${excluded.join(', ')}.`] : []),
    ...(condition.test(plain) ? ['The list is ranked; the condition on a figure is not applied.'] : []),
  ]
  return { ...answer, facts, notes: [...answer.notes, ...notes], inputs: [...answer.inputs, ...excluded] }
}
