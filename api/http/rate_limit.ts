import type { Clock } from '#time.ts'

/** What is left after a request: how many more, and the whole seconds until the window ends. */
export type Allowance = { remaining: number; reset_s: number; isOver: boolean }

const window_us = 60_000_000

/** Counts per name in fixed windows of one minute, which begin with the minutes of the clock. */
export function countByMinute(now: Clock): (name: string, limit: number) => Allowance {
  let minute = -1
  let counts = new Map<string, number>()
  return (name, limit) => {
    const at = now()
    const current = Math.floor(at / window_us)
    if (current !== minute) {
      minute = current
      counts = new Map()
    }
    const n = (counts.get(name) ?? 0) + 1
    counts.set(name, n)
    const reset_s = Math.ceil(((current + 1) * window_us - at) / 1_000_000)
    return { remaining: Math.max(0, limit - n), reset_s, isOver: n > limit }
  }
}
