import { randomUUID } from 'node:crypto'

import type { Micros } from '#time.ts'

import type { Catalog } from './catalog.ts'

/** The term of a lease. Its owner renews it well before; the next owner waits at most so long for a dead one. */
const term_ms = 6_000

/** Thrown when another process has the lease. */
export class LeaseHeld extends Error {
  constructor(name: string, expiresIn_ms: number) {
    super(`${name}: another process works on it; its lease runs for ${Math.ceil(expiresIn_ms / 1000)} s more`)
    this.name = 'LeaseHeld'
  }
}

type Leases = Pick<Catalog, 'db'>

/**
 * Runs `work` with the lease of a name. The lease has an owner and an expiry and is renewed during the work. Work that
 * stalls can lose it: `hold` renews it and throws {@link LeaseHeld} if another process has it, before the work takes
 * effect.
 */
export async function withLease<T>(
  catalog: Leases,
  name: string,
  now: () => Micros,
  work: (hold: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const owner = randomUUID()
  const hold = (): Promise<void> => take(catalog, { name, owner, now })
  await hold()
  let renewed: Promise<void> = Promise.resolve()
  const renewal = setInterval(() => {
    // A failed renewal only lets the lease expire.
    renewed = renewed.then(hold).catch(() => undefined)
  }, term_ms / 3)
  try {
    return await work(hold)
  } finally {
    clearInterval(renewal)
    // A renewal in progress would leave a lease that is never released.
    await renewed
    await catalog.db.deleteFrom('tapeline_leases').where('name', '=', name).where('owner', '=', owner).execute()
  }
}

async function take(
  { db }: Leases,
  { name, owner, now }: { name: string; owner: string; now: () => Micros },
): Promise<void> {
  const now_ms = Math.floor(now() / 1_000)
  const mine = { owner, expires_ms: now_ms + term_ms }
  const taken = await db
    .insertInto('tapeline_leases')
    .values({ name, ...mine })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(mine)
        .where((eb) =>
          eb.or([
            eb('tapeline_leases.owner', '=', owner),
            eb('tapeline_leases.expires_ms', '<=', now_ms),
            // A later end is that of a clock that was set back since.
            eb('tapeline_leases.expires_ms', '>', now_ms + 2 * term_ms),
          ]),
        ),
    )
    .returning('name')
    .execute()
  if (taken.length > 0) return
  const held = await db.selectFrom('tapeline_leases').select('expires_ms').where('name', '=', name).executeTakeFirst()
  throw new LeaseHeld(name, (held?.expires_ms ?? now_ms) - now_ms)
}
