import { notReady } from '#api/contract/errors.ts'

/** Runs work of a name. Throws a 503 if that name has reached the limit. */
export type Together = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * Limits the work of each name that runs or waits at one moment. Work counts until it ends, also if its caller has
 * gone: otherwise a caller who hangs up could fill the queue.
 */
export function limitTogether(most: number): Together {
  const counts = new Map<string, number>()
  return async (name, work) => {
    const n = counts.get(name) ?? 0
    if (n >= most) throw notReady(`${most} uncached reads of this account are running`)
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
