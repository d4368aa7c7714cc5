/** A limit on concurrent work in this process, shared fairly between its owners. */
export type Slots = {
  /**
   * Runs `work` when a slot is free. `progressed` reports progress of the work. Rejects when cancelled while it waits.
   */
  run: <T>(owner: string, cancelled: AbortSignal, work: (progressed: () => void) => Promise<T>) => Promise<T>
}

/** Work without progress for this long counts as hanging. It continues, and its slot is given to other work. */
const stall_ms = 60_000

type Owner = { running: number; waiting: (() => void)[] }

/**
 * At most `most` pieces of work run at once, hanging work not counted. A free slot is given to the owner with the least
 * running work. Among equals, the owner that was served longest ago gets it. An owner with much work delays other
 * owners by at most one piece. Hanging work does not block them.
 */
export function createSlots(most: number): Slots {
  // In the order of service: the last entry was served last.
  const owners = new Map<string, Owner>()
  let taken = 0

  const serve = (): void => {
    while (taken < most) {
      const waiting = [...owners].filter(([, owner]) => owner.waiting.length > 0)
      const [next] = waiting.toSorted(([, a], [, b]) => a.running - b.running)
      if (next === undefined) return
      const [name, owner] = next
      owners.delete(name)
      owners.set(name, owner)
      taken += 1
      owner.running += 1
      owner.waiting.shift()?.()
    }
  }

  const forget = (name: string, { running, waiting }: Owner): void => {
    if (running === 0 && waiting.length === 0) owners.delete(name)
  }

  const wait = (name: string, owner: Owner, cancelled: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        cancelled.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        owner.waiting.splice(owner.waiting.indexOf(begin), 1)
        forget(name, owner)
        reject(cancelled.reason)
      }
      cancelled.addEventListener('abort', leave, { once: true })
      owner.waiting.push(begin)
      serve()
    })

  return {
    run: async (name, cancelled, work) => {
      cancelled.throwIfAborted()
      const owner = owners.get(name) ?? { running: 0, waiting: [] }
      owners.set(name, owner)
      await wait(name, owner, cancelled)
      const release = once(() => {
        taken -= 1
        owner.running -= 1
        forget(name, owner)
        serve()
      })
      const stalled = setTimeout(release, stall_ms).unref()
      try {
        return await work(() => void stalled.refresh())
      } finally {
        clearTimeout(stalled)
        release()
      }
    },
  }
}

const once = (work: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
