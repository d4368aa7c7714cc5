import type { Tier } from '#accounts/tiers.ts'
import { presentSignal, signalsFor, type Signal } from '#api/endpoints/feed.ts'
import type { Marts, Snapshot } from '#snapshots/marts.ts'
import type { Micros } from '#time.ts'

/** A signal as an event of the stream, once for each tier. */
export type FeedEvent = { at: Micros; type: string; bytes: Record<Tier, Buffer> }

/** The signals of the current pulse in the order of publication. All listeners share it. */
export type FeedLog = {
  /** Reads a new pulse, if there is one. */
  refresh: () => Promise<void>
  /** At most a page of the events after an instant. */
  after: (at: Micros) => Promise<readonly FeedEvent[]>
  /** The instant of the last known signal; 0 without one. */
  last: () => Micros
  /** The instant of a signal by its id; null if the current pulse does not have it. */
  instantOf: (id: string) => Promise<Micros | null>
}

/** Events that are held in memory. A listener that is further behind reads them from the pulse. */
const mostHeld = 2_000
const page = 200

export function openFeedLog(marts: Pick<Marts, 'current'>): FeedLog {
  let held: FeedEvent[] = []
  let last: Micros = 0
  /** All events after this instant are held. */
  let floor: Micros = 0
  let seen: Snapshot | null = null
  /** Reads of older events, by the instant after which they begin: listeners at one place share them. */
  const reading = new Map<Micros, Promise<readonly FeedEvent[]>>()

  const readOld = (snapshot: Snapshot, at: Micros): Promise<readonly FeedEvent[]> => {
    const begun = reading.get(at) ?? read(snapshot, at).finally(() => reading.delete(at))
    reading.set(at, begun)
    return begun
  }

  const readNew = async (): Promise<void> => {
    const snapshot = marts.current('pulse')
    if (snapshot === null || snapshot === seen) return
    if (seen === null) {
      last = await lastOf(snapshot)
      floor = last
    }
    for (let events = await read(snapshot, last); events.length > 0; events = await read(snapshot, last)) {
      held = [...held, ...events].slice(-mostHeld)
      last = events.at(-1)?.at ?? last
      if (held.length === mostHeld) floor = Math.max(floor, (held[0]?.at ?? 0) - 1)
    }
    // A read that failed is repeated at the next look.
    seen = snapshot
  }

  let refreshing: Promise<void> | null = null
  /** Callers at one time share a reading: two would append the same events twice. */
  const refresh = (): Promise<void> => {
    refreshing ??= readNew().finally(() => (refreshing = null))
    return refreshing
  }

  const after: FeedLog['after'] = async (at) => {
    if (at >= last) return []
    const snapshot = marts.current('pulse')
    const old = at < floor && snapshot !== null ? await readOld(snapshot, at) : []
    const past = old.filter((event) => event.at <= last)
    // The pulse may no longer have any of the older events.
    if (past.length > 0) return past
    return held.slice(firstAfter(held, at)).slice(0, page)
  }

  const instantOf: FeedLog['instantOf'] = async (id) => {
    const rows = await marts.current('pulse')?.query('select timestamp from marts.feed where id = $id', { id })
    const at = rows?.[0]?.['timestamp']
    return typeof at === 'number' ? at : null
  }
  return { refresh, after, last: () => last, instantOf }
}

const lastOf = async (snapshot: Snapshot): Promise<Micros> => {
  const [row] = await snapshot.query(`select max(timestamp) as "last" from (${signalsFor('free', snapshot)})`)
  return typeof row?.['last'] === 'number' ? row['last'] : 0
}

/** The index of the first event after an instant. */
function firstAfter(events: readonly FeedEvent[], at: Micros): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.at ?? 0) > at) high = middle
    else low = middle + 1
  }
  return low
}

async function read(snapshot: Snapshot, at: Micros): Promise<FeedEvent[]> {
  const rowsFor = (tier: Tier) =>
    snapshot.query(
      `select * exclude (rank) from (${signalsFor(tier, snapshot)}) where epoch_us(timestamp) > $at::bigint
       order by timestamp limit ${page}`,
      { at: String(at) },
    ) as Promise<unknown[]> as Promise<Signal[]>
  const [free, pro, enterprise] = await Promise.all([rowsFor('free'), rowsFor('pro'), rowsFor('enterprise')])
  return free.map((row, i) => ({
    at: Number(row.timestamp),
    type: row.type,
    bytes: { free: eventOf(row), pro: eventOf(pro[i] ?? row), enterprise: eventOf(enterprise[i] ?? row) },
  }))
}

const eventOf = (row: Signal): Buffer =>
  Buffer.from(`id: ${row.id}\nevent: signal\ndata: ${JSON.stringify(presentSignal(row))}\n\n`)
