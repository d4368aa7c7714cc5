import type { Logger } from 'pino'

import type { As, Ask } from '#api/contract/endpoint.ts'
import type { Clock } from '#time.ts'

import { sourcesOf, textOf, type Answer } from './answering/answer.ts'
import type { Readers } from './answering/readers.ts'
import type { Intent, Plan } from './intent.ts'
import { choosePlan, type Complete } from './model/choose_plan.ts'
import type { Lexicon } from './reading/lexicon.ts'
import { readQuestion, type Reading } from './reading/reading.ts'
import { intentNamed, route } from './route.ts'

/** Intents whose answers end with what can be asked. */
const withExamples = new Set(['help', 'refuse', 'clarify'])

/** Makes the assistant of a service from its intents, readers and lexicon. */
export function openAsk(of: {
  intents: readonly Intent[]
  openReaders: (as: As) => Readers
  lexicon: () => Promise<Lexicon>
  now: Clock
  log: Logger
  /** Asks a language model, for questions that the rules do not understand. */
  complete?: Complete
}): Ask {
  const { intents, openReaders, lexicon, now, log, complete } = of
  const examples = intents.flatMap(({ examples: [first] }) => (first === undefined ? [] : [`- ${first}`]))
  const ending = ['You can ask, for example:', ...examples].join('\n')

  /** Without an answer of the model, the plan of the rules counts. */
  const choose = async (query: string, reading: Reading, ask: Complete): Promise<Plan | null> => {
    try {
      return await choosePlan(query, { complete: ask, intents, reading })
    } catch (error) {
      log.warn(error, 'chat model: no answer, the rules answer')
      return null
    }
  }

  return async (query, as) => {
    const now_ms = now() / 1_000
    const reading = await readQuestion(query, { lexicon: await lexicon(), now_ms })
    const routed = await route(reading, intents)
    const chosen = complete && !routed.isUnderstood ? await choose(query, reading, complete) : null
    const plan = chosen ?? routed.plan
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
      engine: chosen ? 'llm' : 'rules',
    }
  }
}
