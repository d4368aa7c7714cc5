/** Work that is done one piece after the other. */
export type Turns = {
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
  /** Waits for the last piece. Later work throws. */
  close: () => Promise<void>
}

/** Pages of a unit come in parallel, and a reading that was cut off may still go on: no write follows the end. */
export function openTurns(): Turns {
  let turn: Promise<unknown> = Promise.resolve()
  let isClosed = false
  return {
    inTurn: (work) => {
      const done = turn.then(() => {
        if (isClosed) throw new Error('rows of a unit: it has ended; expected an open unit')
        return work()
      })
      turn = done.catch(() => undefined)
      return done
    },
    close: async () => {
      isClosed = true
      await turn
    },
  }
}
