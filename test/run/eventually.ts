import { setTimeout as sleep } from 'node:timers/promises'

import { vi } from 'vitest'

/** Ends a check that hangs. It lies far beyond the time of a check on a busy machine, since no test rests on speed. */
const limit_ms = 300_000

/** A check waits for so many times what it took, so that waiting costs at most a fifth of a core. */
const rest = 4

/**
 * Repeats a check until it passes, and returns its result; at the limit it throws the last error. With fake timers each
 * repetition advances them by the interval.
 */
export function eventually<T>(check: () => T | Promise<T>, interval_ms = 50): Promise<T> {
  let [next_ms, failure]: [number, unknown] = [-Infinity, undefined]
  const paced = async (): Promise<T> => {
    const begun_ms = performance.now()
    if (begun_ms < next_ms) throw failure
    try {
      return await check()
    } catch (error) {
      failure = error
      next_ms = performance.now() + rest * (performance.now() - begun_ms)
      throw error
    }
  }
  return vi.waitFor(paced, { timeout: limit_ms, interval: interval_ms })
}

/** Waits for a condition; it throws at the limit. */
export async function until(holds: () => boolean | Promise<boolean>, interval_ms = 20): Promise<void> {
  const begun_ms = performance.now()
  for (;;) {
    const asked_ms = performance.now()
    if (await holds()) return
    const took_ms = performance.now() - asked_ms
    if (asked_ms - begun_ms > limit_ms) throw new Error(`the condition did not hold within ${limit_ms} ms`)
    await sleep(Math.max(interval_ms, rest * took_ms))
  }
}
