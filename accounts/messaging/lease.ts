import type { Accounts } from '#accounts/accounts.ts'
import type { Micros } from '#time.ts'

/** The lease of a name, for one owner. */
export type Lease = {
  /** Takes or renews it for a term. Returns false while another owner has it. */
  take: () => Promise<boolean>
  /** Gives it up, so that another owner need not wait for its end. */
  release: () => Promise<void>
}

/**
 * A lease lets one process of all nodes do a work. The lease of a process that died ends with its term. Clocks of nodes
 * may differ by seconds, so two owners may overlap for as long; the work must bear that.
 */
export function leaseOf(
  accounts: Accounts,
  { name, owner, term_us, now }: { name: string; owner: string; term_us: number; now: () => Micros },
): Lease {
  const take = async (): Promise<boolean> => {
    const at = now()
    const mine = { owner, expires_at: at + term_us }
    const taken = await accounts
      .insertInto('leases')
      .values({ name, ...mine })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(mine)
          .where((eb) =>
            eb.or([
              eb('leases.owner', '=', owner),
              eb('leases.expires_at', '<=', at),
              // A later end is that of a clock that was set back since.
              eb('leases.expires_at', '>', at + 2 * term_us),
            ]),
          ),
      )
      .returning('name')
      .execute()
    return taken.length > 0
  }
  const release = async (): Promise<void> => {
    await accounts.deleteFrom('leases').where('name', '=', name).where('owner', '=', owner).execute()
  }
  return { take, release }
}
