import type { Catalog } from './catalog.ts'
import { memberLeases } from './member_leases.ts'

/** The live processes of a lake that take part in something, such as in the requests to a host. */
export type Members = {
  /**
   * Takes part until a minute after the last call, and returns the number of processes that do. It resolves once no
   * process is left that does not count this one.
   */
  share: (name: string) => Promise<number>
  /** Takes part until the end. */
  join: (name: string) => void
  /** The number of processes as far as this one knows, at once. */
  lastCount: (name: string) => number
  close: () => Promise<void>
}

type Tools = {
  catalog: Pick<Catalog, 'db' | 'now_ms'>
  now_ms: () => number
  sleep: (wait_ms: number, signal?: AbortSignal) => Promise<unknown>
  signal?: AbortSignal | undefined
}

/** Each process reads the leases so often, and renews its own well before they expire. */
const read_ms = 2_000
const renew_ms = 10_000
/** A number that was read longer ago counts no more. A new member waits so long for the others to count it. */
const stale_ms = 6_000
/** A process without use for so long takes part no more. */
const idle_ms = 60_000

/** `used_ms`: Infinity until the end. `open_ms`: from then on all others count this process. */
type Seat = { used_ms: number; isStored: boolean; open_ms: number; n: number; readAt_ms: number }

/**
 * Counts processes by leases in the catalog, in the time of its database. A dead process counts until its leases
 * expire. A process that cannot read the leases has no number, so the processes that go on never divide something into
 * too few shares.
 */
export function openMembers({ catalog, now_ms, sleep, signal }: Tools): Members {
  const leases = memberLeases(catalog.db)
  const seats = new Map<string, Seat>()
  let renewedAt_ms = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined

  const dropIdle = async (at_ms: number): Promise<void> => {
    const idle = [...seats].filter(([, { used_ms }]) => used_ms < at_ms - idle_ms).map(([name]) => name)
    if (idle.length === 0) return
    for (const name of idle) seats.delete(name)
    await leases.release(idle)
  }

  const refresh = async (): Promise<void> => {
    const at_ms = now_ms()
    await dropIdle(at_ms)
    const names = [...seats.keys()]
    const isDue = at_ms - renewedAt_ms >= renew_ms || [...seats.values()].some(({ isStored }) => !isStored)
    const lease_ms = await catalog.now_ms()
    const joined = new Set(isDue ? await leases.renew(names, lease_ms) : [])
    if (isDue) renewedAt_ms = at_ms
    // Members also wait if the count fails.
    for (const name of joined) Object.assign(seats.get(name) ?? {}, { open_ms: now_ms() + stale_ms })
    const counts = await leases.count(lease_ms)
    for (const name of names) {
      const { n, isOwn } = counts(name)
      const seat = seats.get(name)
      if (seat === undefined) continue
      if (joined.has(name) && n === 1) seat.open_ms = at_ms
      Object.assign(seat, { n, readAt_ms: at_ms, isStored: isOwn })
    }
  }

  const refreshOnce = (): Promise<void> =>
    (refreshing ??= refresh().finally(() => {
      refreshing = undefined
    }))
  const timer = setInterval(() => {
    // Without an answer the numbers go stale, and the next share reports the error.
    if (seats.size > 0) refreshOnce().catch(() => undefined)
  }, read_ms).unref()

  const seatOf = (name: string): Seat => {
    const taken = seats.get(name)
    if (taken !== undefined) return taken
    const seat = { used_ms: now_ms(), isStored: false, open_ms: 0, n: 0, readAt_ms: Number.NEGATIVE_INFINITY }
    seats.set(name, seat)
    return seat
  }

  return {
    share: async (name) => {
      for (;;) {
        const seat = seatOf(name)
        seat.used_ms = Math.max(seat.used_ms, now_ms())
        const isKnown = seat.isStored && now_ms() - seat.readAt_ms < stale_ms
        if (isKnown && seat.open_ms <= now_ms()) return seat.n
        await (isKnown ? sleep(seat.open_ms - now_ms(), signal) : refreshOnce())
      }
    },
    join: (name) => {
      seatOf(name).used_ms = Number.POSITIVE_INFINITY
      refreshOnce().catch(() => undefined)
    },
    lastCount: (name) => seats.get(name)?.n ?? 0,
    close: async () => {
      clearInterval(timer)
      await refreshing?.catch(() => undefined)
      // Leases that a full disk keeps expire.
      await leases.release().catch(() => undefined)
    },
  }
}
