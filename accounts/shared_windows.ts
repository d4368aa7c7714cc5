import { sql } from 'kysely'

import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'

/** The state of a limit after a request: requests left, and whole seconds until the window ends. */
export type Allowance = { remaining: number; reset_s: number; isOver: boolean }

/** Counts a request of a name against its limit a minute. */
export type Spend = (name: string, limit: number) => Allowance | Promise<Allowance>

/** What a node knows of the current window of a name. */
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

const window_us = 60_000_000

/**
 * Counts requests in windows of one minute that all nodes share. The windows are those of the database's clock. A node
 * leases requests in batches of half a percent of the limit, and admits them without asking again. No node admits more
 * than it has leased, so the limit is never exceeded; at most the unused rest of each other node's batch is missing. A
 * window that is used up costs no further query.
 */
export function openSharedWindows(accounts: Accounts, now: () => Micros): Spend {
  const leases = new Map<string, Lease>()
  let sweptAt = now()

  const leaseOf = (name: string): Lease => {
    const known = leases.get(name)
    if (known && now() < known.until) return known
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
    await sweep()
    const n = Math.max(Math.floor(limit / 200), lease.n_waiting, 1)
    const { used, left_us } = await takeFromWindow(accounts, `requests ${name}`, n)
    lease.left = Math.max(0, Math.min(n, limit - (used - n)))
    lease.free = Math.max(0, limit - used)
    lease.until = now() + left_us
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
    const reset_s = Math.max(1, Math.ceil((lease.until - now()) / 1_000_000))
    return { remaining: lease.left + lease.free, reset_s, isOver }
  }

  return spend
}

/** Adds to the current minute of a name. Returns the total, and the rest of the minute by the database's clock. */
async function takeFromWindow(accounts: Accounts, name: string, n: number) {
  const micros = sql<Micros>`cast(floor(extract(epoch from clock_timestamp()) * 1000000) as bigint)`
  const window = sql.lit(window_us)
  const { rows } = await sql<{ used: number; left_us: number }>`
    with clock as materialized (select ${micros} as at)
    insert into rate_windows (name, begins_at, used)
    select ${name}, at - at % ${window}, ${sql.lit(n)} from clock
    on conflict (name, begins_at) do update set used = rate_windows.used + excluded.used
    returning used, begins_at + ${window} - ${micros} as left_us`.execute(accounts)
  const [row] = rows
  if (row === undefined) throw new Error(`rate_windows: no row for ${name}; expected one`)
  return row
}

const oldest_us = 24 * 3_600_000_000

/** Removes the windows of the day before. */
export const dropOldWindows = (accounts: Accounts, now: Micros) =>
  accounts
    .deleteFrom('rate_windows')
    .where('begins_at', '<', now - oldest_us)
    .execute()
