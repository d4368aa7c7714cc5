/** The share of one unit in the memory of all units that are read at once. */
export type Reservation = {
  /** Waits until the memory limit allows more rows. */
  waitForRoom: () => Promise<void>
  /** Adds the length of a response that is now in memory. */
  reserve: (length: number) => void
  /** The rows of the responses so far have left the memory. */
  spill: () => void
  /** Releases all memory of the unit, after it was stored or failed. */
  release: () => void
}

export type MemoryLimit = { acquire: () => Reservation }

/** Characters of responses, which are about half a million rows. */
const mostHeld = 300_000_000

/**
 * Limits the total memory of units that are read at once. Above the limit only the first unit continues, until it ends;
 * the other units wait. A market of millions of rows therefore has the memory alone.
 */
export function createMemoryLimit(most = mostHeld): MemoryLimit {
  const turns = new Set<Reservation>()
  const waiting = new Set<() => void>()
  let held = 0
  return {
    acquire: () => {
      let acquired = 0
      const free = (): void => {
        held -= acquired
        acquired = 0
        for (const wake of waiting) wake()
        waiting.clear()
      }
      const turn: Reservation = {
        waitForRoom: async () => {
          const mayGoOn = (): boolean => held <= most || turns.values().next().value === turn
          while (!mayGoOn()) await new Promise<void>((resolve) => void waiting.add(resolve))
        },
        reserve: (length) => {
          acquired += length
          held += length
        },
        spill: free,
        release: () => {
          turns.delete(turn)
          free()
        },
      }
      turns.add(turn)
      return turn
    },
  }
}
