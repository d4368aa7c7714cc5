import type { Intent, Match, Plan } from './intent.ts'
import { objectionTo } from './objections.ts'
import type { Reading } from './reading/reading.ts'

/** A plan, and whether the rules understood the question. */
type Routed = { plan: Plan; isUnderstood: boolean }

/** The score of a refusal that only says that nothing else fits. */
export const notUnderstood = 1

/**
 * The deterministic router: every intent reads the question, and the match with the highest score is the plan. A match
 * that lacks something becomes a plan to ask for it, and so does a plan that cannot answer the question as it was
 * asked.
 */
export async function route(reading: Reading, intents: readonly Intent[]): Promise<Routed> {
  const matches = await Promise.all(intents.map(async ({ name, match }) => ({ name, match: await match(reading) })))
  const matched = matches.flatMap(({ name, match }) => (match ? [{ name, match }] : []))
  const best = matched.reduce<(typeof matched)[number] | null>(
    (first, candidate) => (first === null || candidate.match.score > first.match.score ? candidate : first),
    null,
  )
  if (best === null) return { plan: planOf(intents, 'refuse', { reason: 'unsupported' }), isUnderstood: false }
  const plan = isLacking(best.match)
    ? planOf(intents, 'clarify', { missing: best.match.missing })
    : planOf(intents, best.name, best.match.slots)
  const objection = objectionTo(plan, reading)
  if (objection === null || isAnswered(plan, best.match.score))
    return { plan, isUnderstood: best.match.score > notUnderstood }
  const { intent, ...slots } = objection
  return { plan: planOf(intents, intent, slots), isUnderstood: true }
}

/** A plan with valid and complete slots. Throws a ZodError for invalid slots. */
export function planOf(intents: readonly Intent[], name: string, slots: unknown): Plan {
  const intent = intentNamed(intents, name)
  return { intent: name, slots: intent.slots.parse(slots) }
}

/** The intent of a name. Throws an error that lists the names. */
export function intentNamed(intents: readonly Intent[], name: string): Intent {
  const intent = intents.find((candidate) => candidate.name === name)
  if (intent) return intent
  throw new Error(`intent ${name}: unknown; expected one of ${intents.map((candidate) => candidate.name).join(', ')}`)
}

/** A question back or a refusal with a reason stands. */
const isAnswered = ({ intent }: Plan, score: number): boolean =>
  intent === 'clarify' || (intent === 'refuse' && score > notUnderstood)

const isLacking = (match: Match): match is Extract<Match, { missing: unknown }> => 'missing' in match
