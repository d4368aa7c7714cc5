import { sql } from 'kysely'

import { gridInstant, isLasting, SECOND, type Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import { dialectOf, storeFaultOf } from './database.ts'

/** The state of a limit after a request: requests left, and whole seconds until the window ends. */
export type Allowance = { remaining: number; reset_s: number; isOver: boolean }

/** Counts a request of a name against its limit a minute. */
export type Spend = (name: string, limit: number) => Allowance | Promise<Allowance>

/** The state of the current window of a name on one node. */
type Lease = {
  /** The end of the window, by the clock of this process. */
  until: Micros
  /** Requests that this node may still admit without asking. */
  left: number
  /** Requests that no node has leased. */
  free: number
  /** Requests that wait for the lease under way. */
  n_waiting: number
  asking: Promise<void> | null
}

const window_s = 60
const window_us = window_s * SECOND

type Take = { name: string; n: number; now: () => Micros }

/**
 * Counts requests in windows of one minute that all processes of a store share. The windows are those of the clock of
 * PostgreSQL, or with a file those of the machine. A process leases requests in batches of half a percent of the limit,
 * and admits them without asking again. No process admits more than it has leased, so the limit is never exceeded; at
 * most the unused rest of each other process's batch is missing. A window that is used up costs no further query.
 *
 * While the disk of the store is full, each process counts alone, and `onFull` gets the error once a window.
 */
export function openSharedWindows(
  accounts: Accounts,
  now: () => Micros,
  onFull: (error: unknown) => void = () => undefined,
): Spend {
  const take = dialectOf(accounts) === 'postgres' ? takeFromServer : takeFromFile
  const leases = new Map<string, Lease>()
  let sweptAt = now()

  const leaseOf = (name: string): Lease => {
    const currentLease = leases.get(name)
    const isAsked = currentLease?.until === Number.POSITIVE_INFINITY
    if (currentLease && (isAsked || isLasting(currentLease.until, now(), window_us))) return currentLease
    // Until the first answer of the database the end is unknown.
    const lease: Lease = { until: Number.POSITIVE_INFINITY, left: 0, free: 1, n_waiting: 0, asking: null }
    leases.set(name, lease)
    return lease
  }

  const sweep = async (): Promise<void> => {
    if (now() - sweptAt < window_us) return
    sweptAt = now()
    for (const [name, { until }] of leases) if (until <= now()) leases.delete(name)
    await dropOldWindows(accounts, now())
  }

  const ask = async (name: string, limit: number, lease: Lease): Promise<void> => {
    try {
      await sweep()
      const n = Math.max(Math.floor(limit / 200), lease.n_waiting, 1)
      const { used, left_us } = await take(accounts, { name: `requests ${name}`, n, now })
      lease.left = Math.max(0, Math.min(n, limit - (used - n)))
      lease.free = Math.max(0, limit - used)
      lease.until = now() + left_us
    } catch (error) {
      if (storeFaultOf(error) !== 'full') throw error
      onFull(error)
      lease.left = lease.until === Number.POSITIVE_INFINITY ? limit : lease.free
      lease.free = 0
      lease.until = gridInstant(now(), window_s) + window_us
    }
  }

  const wait = async (name: string, limit: number, lease: Lease): Promise<Allowance> => {
    lease.n_waiting++
    try {
      lease.asking ??= ask(name, limit, lease).finally(() => {
        lease.asking = null
      })
      await lease.asking
    } catch (error) {
      // The end of the window is still unknown, so the next request asks anew.
      if (leases.get(name) === lease && lease.until === Number.POSITIVE_INFINITY) leases.delete(name)
      throw error
    } finally {
      lease.n_waiting--
    }
    return spend(name, limit)
  }

  const spend: Spend = (name, limit) => {
    const lease = leaseOf(name)
    const isOver = lease.left === 0
    if (isOver && lease.free > 0) return wait(name, limit, lease)
    if (!isOver) lease.left--
    const reset_s = Math.max(1, Math.ceil((lease.until - now()) / SECOND))
    return { remaining: lease.left + lease.free, reset_s, isOver }
  }

  return spend
}

type Taken = { used: number; left_us: number }

/** Adds to the minute of a name by the machine's clock. Returns the total, and the rest of the minute. */
async function takeFromFile(accounts: Accounts, { name, n, now }: Take): Promise<Taken> {
  const at = now()
  const begins_at = gridInstant(at, window_s)
  const row = await accounts.connection().execute(async (db) => {
    // A lost count admits a few requests, so it does not wait for the disk. The next write of an account does.
    await sql`pragma synchronous = normal`.execute(db)
    try {
      return await db
        .insertInto('rate_windows')
        .values({ name, begins_at, used: n })
        .onConflict((conflict) =>
          conflict.columns(['name', 'begins_at']).doUpdateSet((eb) => ({ used: eb('rate_windows.used', '+', n) })),
        )
        .returning('used')
        .executeTakeFirstOrThrow()
    } finally {
      await sql`pragma synchronous = full`.execute(db)
    }
  })
  return { used: row.used, left_us: begins_at + window_us - at }
}

/** Adds to the minute of a name by the database's clock. Returns the total, and the rest of the minute. */
async function takeFromServer(accounts: Accounts, { name, n }: Take): Promise<Taken> {
  const micros = sql<Micros>`cast(floor(extract(epoch from clock_timestamp()) * 1000000) as bigint)`
  const window = sql.lit(window_us)
  const { rows } = await sql<Taken>`
    with clock as materialized (select ${micros} as at)
    insert into rate_windows (name, begins_at, used)
    select ${name}, at - at % ${window}, ${sql.lit(n)} from clock
    on conflict (name, begins_at) do update set used = rate_windows.used + excluded.used
    returning used, begins_at + ${window} - ${micros} as left_us`.execute(accounts)
  const [row] = rows
  if (row === undefined) throw new Error(`rate_windows: no row for ${name}; expected one`)
  return row
}

const hour_us = 3_600_000_000

/** Removes the windows of the day before, and those of requests of the hour before. */
export const dropOldWindows = (accounts: Accounts, now: Micros) =>
  accounts
    .deleteFrom('rate_windows')
    .where((eb) =>
      eb.or([
        eb('begins_at', '<', now - 24 * hour_us),
        eb.and([eb('begins_at', '<', now - hour_us), eb('name', 'like', 'requests %')]),
      ]),
    )
    .execute()
