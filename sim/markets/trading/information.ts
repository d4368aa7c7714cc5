import type { Plan } from '#sim/markets/calendar.ts'
import { day_s, hour_s } from '#sim/markets/event_templates.ts'

import type { Belief } from './belief.ts'

/** What is known of an event, and how it ends. */

export const winnerOf = (beliefs: readonly Pick<Belief, 'winner'>[], i: number): boolean =>
  beliefs.length === 1 && i > 0 ? beliefs[0]?.winner === i : beliefs[i]?.winner === 0

export function payoutsOf(result: Plan['markets'][number]['result']): readonly [number, number] | null {
  if (result === 'none') return null
  if (result === 'first') return [1_000_000, 0]
  return result === 'second' ? [0, 1_000_000] : [500_000, 500_000]
}

/** The outcome that pays 1, if one does. */
export const winnerSlot = (result: Plan['markets'][number]['result'] | undefined): 0 | 1 | null =>
  result === 'first' ? 0 : result === 'second' ? 1 : null

/** Little evidence arrives before a start, and the rest after it. Without a start most evidence arrives at the end. */
export function informationOf({ draft }: Pick<Plan, 'draft'>): (ts_s: number) => number {
  const { createdAt_s, closedAt_s } = draft
  const startsAt_s = draft.playsAt_s ?? draft.startsAt_s
  if (startsAt_s === null) {
    return (ts_s) => {
      const x = clamp((ts_s - createdAt_s) / (closedAt_s - createdAt_s))
      const x4 = x * x * x * x
      return 1.6 * x + 30 * x4 * x4 * x4
    }
  }
  return (ts_s) => {
    const before = clamp((ts_s - createdAt_s) / (startsAt_s - createdAt_s))
    const after = clamp((ts_s - startsAt_s) / (closedAt_s - startsAt_s))
    return 0.15 * before + 30 * after * after * after
  }
}

/** So many times the news of an average hour of its week double the usual moves of a market. */
const muchNews = 4

/**
 * The instant from which on an event is decided, so that its odds rightly move far: the start of play, or that at which
 * something happens or is in the news. Without either it is the first hour that has four times the news of an average hour of the week
 * before it.
 */
export function decidedFrom(plan: Pick<Plan, 'draft'>): number {
  const { createdAt_s, closedAt_s, startsAt_s, playsAt_s, byDate, news } = plan.draft
  const known_s = playsAt_s ?? startsAt_s ?? byDate?.happens_s ?? news?.from_s
  if (known_s !== null && known_s !== undefined) return known_s
  // While something does not happen, its chance wanes, and ends within the last hours.
  if (byDate !== null) return byDate.until_s - day_s
  const informationAt = informationOf(plan)
  for (let at_s = createdAt_s + day_s; at_s < closedAt_s; at_s += hour_s) {
    const from_s = Math.max(createdAt_s, at_s - 7 * day_s)
    const usual = (informationAt(at_s) - informationAt(from_s)) / ((at_s - from_s) / hour_s)
    if (informationAt(at_s + hour_s) - informationAt(at_s) > muchNews * usual) return at_s
  }
  return closedAt_s
}

/** The price of a belief after the news of an event so far. */
export function movedByNews({ news }: Plan['draft'], believed: number, ts_s: number): number {
  if (news === null || ts_s <= news.from_s) return believed
  const logits = news.logits * clamp((ts_s - news.from_s) / (news.to_s - news.from_s))
  return believed / (believed + (1 - believed) * Math.exp(-logits))
}

export const clamp = (x: number): number => Math.min(1, Math.max(0, x))
