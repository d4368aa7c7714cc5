/** The transactions that are read of an account on a chain without an order of a person. */
export const mostTransactions = 20_000

/** Shares the budget of an account between its units, of which several are read at once. */
export type Budget = {
  /**
   * Takes up to `n` transactions for a unit, and returns how many. `stored` are those of the stored units, by their
   * paths.
   */
  take: (unit: { account: string; path: string }, n: number, stored: ReadonlyMap<string, number>) => number
  /** Gives back what a unit took that was not stored. */
  drop: (unit: { account: string; path: string }) => void
}

/** Makes the budget of a process. A unit that is read again takes anew. */
export function createBudget(most: number): Budget {
  const taken = new Map<string, Map<string, number>>()
  return {
    take: ({ account, path }, n, stored) => {
      const units = taken.get(account) ?? new Map<string, number>()
      units.delete(path)
      const others = new Map([...stored, ...units])
      others.delete(path)
      const spent = [...others.values()].reduce((sum, value) => sum + value, 0)
      const share = Math.min(n, Math.max(0, most - spent))
      taken.set(account, units.set(path, share))
      return share
    },
    drop: ({ account, path }) => void taken.get(account)?.delete(path),
  }
}
