import { sql } from 'kysely'

import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'

/**
 * Requests of an account from an instant on, for an hour or a day. `limited` of them were refused by the rate limit.
 */
export type UsageRow = { from: Micros; requests: number; limited: number }

/** Counts requests in memory, and writes the counts in batches. */
export type UsageCounter = {
  /** Counts a request. `key_id` is the key that it used. */
  count: (caller: { account_id: string; key_id: string | null }, isLimited: boolean) => void
  /** Writes all counts so far. After a failure they remain for the next call. */
  flush: () => Promise<void>
}

const hour_us = 3_600_000_000
const day_us = 24 * hour_us

export function openUsageCounter(accounts: Accounts, now: () => Micros): UsageCounter {
  let hours = new Map<Micros, Map<string, { requests: number; limited: number }>>()
  let lastUses = new Map<string, Micros>()
  let written: Promise<void> = Promise.resolve()

  const add = (hour: Micros, account_id: string, n: { requests: number; limited: number }) => {
    const ofHour = hours.get(hour) ?? new Map<string, { requests: number; limited: number }>()
    const counted = ofHour.get(account_id) ?? { requests: 0, limited: 0 }
    counted.requests += n.requests
    counted.limited += n.limited
    hours.set(hour, ofHour.set(account_id, counted))
  }

  const write = async () => {
    const [counts, uses] = [hours, lastUses]
    ;[hours, lastUses] = [new Map(), new Map()]
    const rows = [...counts].flatMap(([hour, ofHour]) =>
      [...ofHour].map(([account_id, n]) => ({ account_id, hour, ...n })),
    )
    if (rows.length === 0) return
    try {
      await accounts.transaction().execute((db) => store(db, rows, uses))
    } catch (error) {
      for (const { hour, account_id, ...n } of rows) add(hour, account_id, n)
      for (const [key, at] of uses) lastUses.set(key, Math.max(at, lastUses.get(key) ?? 0))
      throw error
    }
  }

  return {
    count: ({ account_id, key_id }, isLimited) => {
      const at = now()
      add(at - (at % hour_us), account_id, { requests: 1, limited: isLimited ? 1 : 0 })
      if (key_id !== null) lastUses.set(key_id, at)
    },
    flush: () => {
      const mine = written.then(write)
      written = mine.catch(() => undefined)
      return mine
    },
  }
}

type Counted = { account_id: string; hour: Micros; requests: number; limited: number }

/** All writers take the rows in the same order, so that they cannot wait for each other in a circle. */
async function store(db: Accounts, rows: readonly Counted[], uses: ReadonlyMap<string, Micros>): Promise<void> {
  for (const row of rows.toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1)))
    await db
      .insertInto('usage')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'hour']).doUpdateSet((eb) => ({
          requests: eb('usage.requests', '+', row.requests),
          limited: eb('usage.limited', '+', row.limited),
        })),
      )
      .execute()
  for (const [id, last_used_at] of [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await db
      .updateTable('keys')
      .set({ last_used_at })
      .where('id', '=', id)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', last_used_at)]))
      .execute()
}

/** The use of an account by the hour or day, the oldest first, up to now. A step without requests has zeros. */
export async function usageOf(
  accounts: Accounts,
  { account_id, step, n_steps, now }: { account_id: string; step: 'hour' | 'day'; n_steps: number; now: Micros },
): Promise<UsageRow[]> {
  const step_us = step === 'hour' ? hour_us : day_us
  const last = now - (now % step_us)
  const steps = Array.from({ length: n_steps }, (_, i) => last - (n_steps - 1 - i) * step_us)
  const begin = sql<Micros>`hour - hour % ${sql.lit(step_us)}`
  const rows = await accounts
    .selectFrom('usage')
    .select(({ fn }) => [
      begin.as('from'),
      sql<number>`cast(${fn.sum('requests')} as bigint)`.as('requests'),
      sql<number>`cast(${fn.sum('limited')} as bigint)`.as('limited'),
    ])
    .where('account_id', '=', account_id)
    .where('hour', '>=', steps[0] ?? last)
    .groupBy(begin)
    .execute()
  const byStep = new Map(rows.map((row) => [row.from, row]))
  return steps.map((from) => byStep.get(from) ?? { from, requests: 0, limited: 0 })
}
