import { LeaseHeld } from '#lake/catalog/lease.ts'
import type { PublicationName } from '#marts/publications.ts'
import type { Clock, Micros } from '#time.ts'

/** Publishes as of an instant. */
type Publish<T> = (name: PublicationName, asOf: Micros) => Promise<T>

export type Publishing<T> = {
  /** Publishes in turn with the other publications of this process, and never as of an earlier instant than before. */
  publish: (name: PublicationName, asOf: Micros | null) => Promise<T>
  /**
   * Publishes after new rows, as often as a publication takes. `notify` returns at once; `end` waits for the last
   * publication, and returns the reason of its failure, or null.
   */
  follow: (name: PublicationName) => {
    notify: () => void
    isIdle: () => boolean
    end: () => Promise<string | null>
  }
}

/**
 * The publications of a process. Several follows publish the same: a follow that is at an older instant publishes as of
 * now, so that no reader goes back in time, and no two publications are as of the same instant.
 */
export function createPublishing<T>(publishAsOf: Publish<T>, clock: Clock): Publishing<T> {
  const latest = new Map<PublicationName, Micros>()
  const last = new Map<PublicationName, Promise<unknown>>()

  const publish = async (name: PublicationName, asOf: Micros | null): Promise<T> => {
    const before = last.get(name) ?? Promise.resolve()
    const turn = before.then(async () => {
      const newest = latest.get(name) ?? 0
      const at = asOf !== null && asOf > newest ? asOf : Math.max(clock(), newest)
      const published = await publishAsOf(name, at)
      latest.set(name, at)
      return published
    })
    last.set(
      name,
      turn.catch(() => undefined),
    )
    return turn
  }

  const follow = (name: PublicationName) => {
    let isDue = false
    let running: Promise<void> | undefined
    let fault: string | null = null
    const run = async (): Promise<void> => {
      while (isDue) {
        isDue = false
        try {
          await publish(name, null)
          fault = null
        } catch (error) {
          // Another process publishes the same. The next rows bring the next publication.
          if (!(error instanceof LeaseHeld)) fault = error instanceof Error ? error.message : String(error)
        }
      }
      running = undefined
    }
    return {
      notify: () => {
        isDue = true
        running ??= run()
      },
      isIdle: () => running === undefined,
      end: async () => {
        await running
        return fault
      },
    }
  }
  return { publish, follow }
}
