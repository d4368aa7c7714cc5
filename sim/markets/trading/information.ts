import type { Plan } from '#sim/markets/calendar.ts'

import type { Belief } from './belief.ts'

/** What is known of an event, and how it ends. */

export const winnerOf = (beliefs: readonly Pick<Belief, 'winner'>[], i: number): boolean =>
  beliefs.length === 1 && i > 0 ? beliefs[0]?.winner === i : beliefs[i]?.winner === 0

export function payoutsOf(result: Plan['markets'][number]['result']): readonly [number, number] | null {
  if (result === 'none') return null
  if (result === 'first') return [1_000_000, 0]
  return result === 'second' ? [0, 1_000_000] : [500_000, 500_000]
}

/** Little evidence arrives before a start, and the rest after it. Without a start most evidence arrives at the end. */
export function informationOf({ draft }: Plan): (ts_s: number) => number {
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

export const clamp = (x: number): number => Math.min(1, Math.max(0, x))
