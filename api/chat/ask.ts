import type { Logger } from 'pino'

import type { As, Ask } from '#api/contract/endpoint.ts'
import type { Clock } from '#time.ts'

import { sourcesOf, textOf } from './answering/answer.ts'
import { narrow } from './answering/narrow.ts'
import type { Readers } from './answering/readers.ts'
import type { Intent } from './intent.ts'
import { openChoices, type Choose } from './model/choices.ts'
import type { Complete } from './model/choose_plan.ts'
import type { Lexicon } from './reading/lexicon.ts'
import { readQuestion } from './reading/reading.ts'
import { intentNamed, route } from './route.ts'

/** Intents whose answers end with what can be asked. */
const withExamples = new Set(['help', 'refuse', 'clarify'])

/** Makes the assistant of a service from its intents, readers and lexicon. */
export function openAsk(parts: {
  intents: readonly Intent[]
  openReaders: (as: As) => Readers
  lexicon: () => Promise<Lexicon>
  now: Clock
  log: Logger
  /** Asks a language model, for questions that the rules do not understand. */
  complete?: Complete
}): Ask {
  const { intents, openReaders, lexicon, now, log, complete } = parts
  const choose: Choose = complete ? openChoices({ complete, intents, log }) : async () => null
  const examples = intents.flatMap(({ examples: [first] }) => (first === undefined ? [] : [`- ${first}`]))
  const ending = ['You can ask, for example:', ...examples].join('\n')

  return async (query, as) => {
    const names = await lexicon()
    // The data may end before the present, such as those of a build of yesterday or of a simulated world.
    const reading = await readQuestion(query, { lexicon: names, now_ms: (names.asOf ?? now()) / 1_000 })
    const routed = await route(reading, intents)
    const { snapshot } = names
    const chosen = routed.isUnderstood ? null : await choose({ query, reading, snapshot, caller: as.caller })
    const plan = chosen ?? routed.plan
    const whole = await intentNamed(intents, plan.intent).answer(plan.slots, { readers: openReaders(as) })
    const answer = narrow(whole, plan, reading)
    const text = textOf(answer)
    const isBare = withExamples.has(plan.intent)
    return {
      text: isBare ? `${text}\n${ending}` : text,
      sources: sourcesOf(answer),
      plan,
      asOf: answer.asOf,
      engine: chosen ? 'llm' : 'rules',
    }
  }
}
