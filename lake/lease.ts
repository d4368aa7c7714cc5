import { randomUUID } from 'node:crypto'

import { z } from 'zod'

import type { Micros } from './columns.ts'
import { etagOf } from './folder.ts'
import type { Storage } from './storage.ts'

const leaseShape = z.object({ owner: z.string(), expires_at: z.number() })
const path = 'marts/lease.json'
/** A holder renews well before this; one that died is replaced after it. */
const term_ms = 30_000

/** Thrown when somebody else is building or publishing. */
export class LeaseHeld extends Error {
  constructor(expiresIn_ms: number) {
    super(`another process is building marts in this home; its lease runs for ${Math.ceil(expiresIn_ms / 1000)} s more`)
    this.name = 'LeaseHeld'
  }
}

/** Runs `work` as the only publisher. The lease has an owner and an expiry, and is renewed while the work lasts. */
export async function withLease<T>(storage: Storage, now: () => Micros, work: () => Promise<T>): Promise<T> {
  const owner = randomUUID()
  await take(storage, owner, now)
  const renewal = setInterval(() => {
    // A failed renewal only lets the lease run out; the pointer flips are single renames either way.
    take(storage, owner, now).catch(() => undefined)
  }, term_ms / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await storage.delete(path)
  }
}

async function take(storage: Storage, owner: string, now: () => Micros): Promise<void> {
  const stored = await storage.get(path)
  const now_ms = now() / 1000
  if (stored !== undefined) {
    const lease = leaseShape.parse(JSON.parse(stored.toString()))
    if (lease.owner !== owner && lease.expires_at > now_ms) throw new LeaseHeld(lease.expires_at - now_ms)
  }
  const mine = Buffer.from(JSON.stringify({ owner, expires_at: now_ms + term_ms }))
  const isTaken = await storage.putIfMatch(path, mine, stored === undefined ? null : etagOf(stored))
  if (!isTaken) throw new LeaseHeld(term_ms)
}
