import { randomUUID } from 'node:crypto'

import { z } from 'zod'

import type { Micros } from '#time.ts'

import { etagOf, type Storage } from './storage.ts'

const leaseShape = z.object({ owner: z.string(), expires_at: z.number() })
/** The term of a lease. Its owner renews it well before; the lease of a dead owner expires. */
const term_ms = 30_000

/** Thrown when another process is building or publishing. */
export class LeaseHeld extends Error {
  constructor(expiresIn_ms: number) {
    super(`another process is building marts in this home; its lease runs for ${Math.ceil(expiresIn_ms / 1000)} s more`)
    this.name = 'LeaseHeld'
  }
}

/** Runs `work` with the lease at a path. The lease has an owner and an expiry and is renewed during the work. */
export async function withLease<T>(
  storage: Storage,
  path: string,
  now: () => Micros,
  work: () => Promise<T>,
): Promise<T> {
  const owner = randomUUID()
  await take(storage, path, owner, now)
  let renewed: Promise<void> = Promise.resolve()
  const renewal = setInterval(() => {
    // A failed renewal only lets the lease expire; the pointer is replaced by single renames in any case.
    renewed = renewed.then(() => take(storage, path, owner, now)).catch(() => undefined)
  }, term_ms / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    // A renewal in progress would leave a lease that is never released.
    await renewed
    const held = await read(storage, path)
    if (held?.lease.owner === owner) await storage.delete(path)
  }
}

async function read(
  storage: Storage,
  path: string,
): Promise<{ lease: z.infer<typeof leaseShape>; etag: string } | undefined> {
  const stored = await storage.get(path)
  return stored && { lease: leaseShape.parse(JSON.parse(stored.toString())), etag: etagOf(stored) }
}

async function take(storage: Storage, path: string, owner: string, now: () => Micros): Promise<void> {
  const held = await read(storage, path)
  const now_ms = now() / 1000
  if (held !== undefined && held.lease.owner !== owner && held.lease.expires_at > now_ms) {
    throw new LeaseHeld(held.lease.expires_at - now_ms)
  }
  const mine = Buffer.from(JSON.stringify({ owner, expires_at: now_ms + term_ms }))
  if (!(await storage.putIfMatch(path, mine, held?.etag ?? null))) throw new LeaseHeld(term_ms)
}
