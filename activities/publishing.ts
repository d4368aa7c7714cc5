import type { Timers } from '#ingest/http/rate_limiter.ts'
import { LeaseHeld } from '#lake/catalog/lease.ts'
import { publicationNames, type PublicationName } from '#snapshots/publications.ts'
import { isAhead, type Clock, type Micros } from '#time.ts'

/** Publishes as of an instant. */
type Publish<T> = (name: PublicationName, asOf: Micros) => Promise<T>

export type Publishing<T> = {
  /**
   * Publishes in turn with the other publications of this process, and never as of an earlier instant than before.
   * Calls that wait for their turn share one publication, as of the latest of their instants.
   */
  publish: (name: PublicationName, asOf: Micros | null) => Promise<T>
  /** Notes that all publications were published together as of an instant, so that none repeats it. */
  note: (asOf: Micros) => void
  /** Publishes after new rows. All follows of a publication share its turns. */
  follow: (name: PublicationName) => Follow
}

/**
 * `store` runs work that stores rows, after which a publication is due if it returns true. `isOpen` is whether the next
 * publication has not begun: it waits for the work that begins now. `end` waits for the publication of the rows so far,
 * and returns the reason of the last failure, or null.
 */
export type Follow = {
  store: (work: () => Promise<boolean>) => Promise<void>
  isOpen: () => boolean
  end: () => Promise<string | null>
}

type PublishingTools = { clock: Clock; timers: Timers }

/**
 * The time from the begin of one publication after new rows to that of the next. A replaced snapshot serves its cursors
 * for a quarter of an hour, so their number has this bound.
 */
const EVERY_MS = 1_000
/** The other follows have this time to store their rows too. It is longer than the pause between two of their looks. */
const GATHER_MS = 120

/**
 * The publications of a process. Several follows share each publication. A follow that is at an older instant publishes
 * as of now, so that no reader goes back in time, unless a clock that was ahead is set back. No two publications are as
 * of the same instant.
 */
export function createPublishing<T>(publishAsOf: Publish<T>, { clock, timers }: PublishingTools): Publishing<T> {
  const latest = new Map<PublicationName, Micros>()
  const last = new Map<PublicationName, Promise<unknown>>()
  const waiting = new Map<PublicationName, { asOf: Micros | null; turn: Promise<T> }>()
  const follows = new Map<PublicationName, Follow>()

  const publish = async (name: PublicationName, asOf: Micros | null): Promise<T> => {
    const shared = waiting.get(name)
    if (shared !== undefined) {
      shared.asOf = asOf === null || shared.asOf === null ? null : Math.max(asOf, shared.asOf)
      return shared.turn
    }
    const before = last.get(name) ?? Promise.resolve()
    const turn = before.then(async () => {
      const of = waiting.get(name)?.asOf ?? null
      waiting.delete(name)
      const last_at = latest.get(name) ?? 0
      // A clock that was ahead was set back.
      const newest = isAhead(last_at, clock()) ? 0 : last_at
      const at = of !== null && of > newest ? of : Math.max(clock(), newest)
      const published = await publishAsOf(name, at)
      latest.set(name, at)
      return published
    })
    waiting.set(name, { asOf, turn })
    last.set(
      name,
      turn.catch(() => undefined),
    )
    return turn
  }

  const follow = (name: PublicationName): Follow => {
    const known = follows.get(name) ?? publishAfterRows(() => publish(name, null), timers)
    follows.set(name, known)
    return known
  }
  const note = (asOf: Micros): void => {
    for (const name of publicationNames()) latest.set(name, Math.max(asOf, latest.get(name) ?? 0))
  }
  return { publish, note, follow }
}

/** The publication of rows: `done` resolves when it has ended. */
type Turn = { done: Promise<void>; end: () => void }

function newTurn(): Turn {
  let end = (): void => undefined
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  return { done, end }
}

function publishAfterRows(publish: () => Promise<unknown>, { now_ms, sleep }: Timers): Follow {
  const storing = new Set<Promise<boolean>>()
  let due: Turn | undefined
  let running: Turn | undefined
  let state: 'idle' | 'gathering' | 'publishing' = 'idle'
  let fault: string | null = null

  /** The turn of all rows that were stored until now; undefined if there are none. */
  const gather = async (): Promise<Turn | undefined> => {
    state = 'gathering'
    await sleep(GATHER_MS)
    // A store that fails is the failure of its follow.
    await Promise.allSettled(storing)
    running = due
    due = undefined
    return running
  }
  const run = async (): Promise<void> => {
    for (let turn = await gather(); turn !== undefined; turn = await gather()) {
      state = 'publishing'
      const begun_ms = now_ms()
      try {
        await publish()
        fault = null
      } catch (error) {
        // Another process publishes the same. The next rows bring the next publication.
        if (!(error instanceof LeaseHeld)) fault = error instanceof Error ? error.message : String(error)
      }
      running = undefined
      turn.end()
      await sleep(Math.max(0, begun_ms + EVERY_MS - GATHER_MS - now_ms()))
    }
    state = 'idle'
    // Rows that were stored as the last gathering ended.
    if (due !== undefined) void run()
  }
  return {
    store: async (work) => {
      const stored = work()
      storing.add(stored)
      try {
        if (!(await stored)) return
      } finally {
        storing.delete(stored)
      }
      due ??= newTurn()
      if (state === 'idle') void run()
    },
    isOpen: () => state !== 'publishing',
    end: async () => {
      await (due ?? running)?.done
      return fault
    },
  }
}
