import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'

import type { Caller } from '#accounts/keys.ts'
import type { Intent, Plan } from '#api/chat/intent.ts'
import type { Reading } from '#api/chat/reading/reading.ts'

import { choosePlan, type Complete } from './choose_plan.ts'

/** Chooses the plan of a question by a model; null leaves it to the rules. */
export type Choose = (question: {
  query: string
  reading: Reading
  snapshot: string
  caller: Caller
}) => Promise<Plan | null>

const mostChoices = 1_000

/**
 * Asks the model once for each question of an account, tier and snapshot, also while the first request runs. Plans
 * alone are kept: their figures are read again for each answer, with the rights of its caller. A failure is not kept.
 */
export function openChoices(parts: { complete: Complete; intents: readonly Intent[]; log: Logger }): Choose {
  const { complete, intents, log } = parts
  const kept = new LRUCache<string, { plan: Promise<Plan | null> }>({ max: mostChoices })
  return async ({ query, reading, snapshot, caller: { account_id, tier } }) => {
    const key = JSON.stringify([account_id, tier, snapshot, query, reading.since])
    const choice = kept.get(key) ?? { plan: choosePlan(query, { complete, intents, reading }) }
    kept.set(key, choice)
    try {
      return await choice.plan
    } catch (error) {
      kept.delete(key)
      log.warn(error, 'chat model: no answer, the rules answer')
      return null
    }
  }
}
