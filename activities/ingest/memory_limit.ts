/** A unit's place among those that are read at once. */
export type Reservation = {
  /** Waits until there is room for more rows. */
  waitForRoom: () => Promise<void>
  /** Notes an answer that is held from now on. */
  reserve: (length: number) => void
  /** Gives up all that is held: the unit is stored, or has failed. */
  release: () => void
}

export type MemoryLimit = { acquire: () => Reservation }

/** Characters of answers, which are about half a million rows. */
const mostHeld = 300_000_000

/**
 * Limits what all units that are read at once hold together. Beyond it only the one goes on that came first, and so
 * comes to an end; the others wait where they are. A market of millions of rows thus has the memory to itself.
 */
export function createMemoryLimit(most = mostHeld): MemoryLimit {
  const turns = new Set<Reservation>()
  const waiting = new Set<() => void>()
  let held = 0
  return {
    acquire: () => {
      let own = 0
      const turn: Reservation = {
        waitForRoom: async () => {
          const mayGoOn = (): boolean => held <= most || turns.values().next().value === turn
          while (!mayGoOn()) await new Promise<void>((resolve) => void waiting.add(resolve))
        },
        reserve: (length) => {
          own += length
          held += length
        },
        release: () => {
          turns.delete(turn)
          held -= own
          for (const wake of waiting) wake()
          waiting.clear()
        },
      }
      turns.add(turn)
      return turn
    },
  }
}
