import { setTimeout as sleep } from 'node:timers/promises'

import { vi } from 'vitest'

/** Ends a check that hangs. It lies far beyond the time of a check on a busy machine, since no test rests on speed. */
const limit_ms = 300_000

/**
 * Repeats a check until it passes, and returns its result; at the limit it throws the last error. With fake timers each
 * repetition advances them by the interval.
 */
export const eventually = <T>(check: () => T | Promise<T>, interval_ms = 50): Promise<T> =>
  vi.waitFor(check, { timeout: limit_ms, interval: interval_ms })

/** Waits for a condition; it throws at the limit. */
export async function until(holds: () => boolean | Promise<boolean>, interval_ms = 20): Promise<void> {
  const begun_ms = performance.now()
  while (!(await holds())) {
    if (performance.now() - begun_ms > limit_ms) throw new Error(`the condition did not hold within ${limit_ms} ms`)
    await sleep(interval_ms)
  }
}
