import type { As, Ask } from '#api/contract/endpoint.ts'
import type { Clock } from '#time.ts'

import { sourcesOf, textOf, type Answer } from './answering/answer.ts'
import type { Readers } from './answering/readers.ts'
import type { Intent } from './intent.ts'
import type { Lexicon } from './reading/lexicon.ts'
import { readQuestion } from './reading/reading.ts'
import { intentNamed, route } from './route.ts'

/** Intents whose answers end with what can be asked. */
const withExamples = new Set(['help', 'refuse', 'clarify'])

/** Makes the assistant of a service from its intents, readers and lexicon. */
export function openAsk(of: {
  intents: readonly Intent[]
  openReaders: (as: As) => Readers
  lexicon: () => Promise<Lexicon>
  now: Clock
}): Ask {
  const { intents, openReaders, lexicon, now } = of
  const examples = intents.flatMap(({ examples: [first] }) => (first === undefined ? [] : [`- ${first}`]))
  const ending = ['You can ask, for example:', ...examples].join('\n')

  return async (query, as) => {
    const now_ms = now() / 1_000
    const reading = await readQuestion(query, { lexicon: await lexicon(), now_ms })
    const plan = await route(reading, intents)
    const answer: Answer = await intentNamed(intents, plan.intent).answer(plan.slots, {
      readers: openReaders(as),
      now_ms,
    })
    const text = textOf(answer)
    const isBare = withExamples.has(plan.intent)
    return {
      text: isBare ? `${text}\n${ending}` : text,
      sources: sourcesOf(answer),
      plan,
      asOf: answer.asOf,
      engine: 'rules',
    }
  }
}
