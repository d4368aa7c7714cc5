/** Steps of a look for snapshots. */
export type Steps = {
  /** Runs a step. Throws if it takes longer than its time, or if it still runs from before. */
  run: <T>(name: string, work: () => Promise<T>) => Promise<T>
  isAnyRunning: () => boolean
}

/** A step is slow. It says nothing about what it reads. */
export class StillReading extends Error {
  override name = 'StillReading'
}

/**
 * Limits the time that a look waits for each step. A file system may hang, and no read of it can be ended: the step
 * goes on, and is not begun again before it has ended.
 */
export function limitSteps(most_ms: number): Steps {
  const running = new Set<string>()
  const late = (name: string) =>
    new StillReading(`${name}: still not read; expected an answer of the disk within ${most_ms / 1_000} s`)

  return {
    run: async (name, work) => {
      if (running.has(name)) throw late(name)
      running.add(name)
      const done = work().finally(() => running.delete(name))
      let timer: NodeJS.Timeout | undefined
      const over = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(late(name)), most_ms)
      })
      // Once its time is over, the next look reports the result.
      done.catch(() => undefined)
      return Promise.race([done, over]).finally(() => clearTimeout(timer))
    },
    isAnyRunning: () => running.size > 0,
  }
}
