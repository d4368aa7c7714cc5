import type { Allowance } from '#accounts/shared_windows.ts'
import { overloaded } from '#api/contract/errors.ts'
import type { Clock } from '#time.ts'

const window_us = 60_000_000

/** Counts requests per name in fixed windows of one minute, aligned to the minutes of the clock. */
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

/** Runs work of a name. Throws a 503 if that name has reached the limit. */
export type Together = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * Limits the work of each name that runs or waits at one moment. Work counts until it ends, which is soon after its
 * caller has gone.
 */
export function limitTogether(most: number): Together {
  const counts = new Map<string, number>()
  return async (name, work) => {
    const n = counts.get(name) ?? 0
    if (n >= most) throw overloaded(`${most} uncached reads of this account are running`)
    counts.set(name, n + 1)
    try {
      return await work()
    } finally {
      const left = (counts.get(name) ?? 1) - 1
      if (left === 0) counts.delete(name)
      else counts.set(name, left)
    }
  }
}
