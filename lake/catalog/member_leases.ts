import { randomUUID } from 'node:crypto'

import type { Catalog } from './catalog.ts'

/** The leases of the members of a lake, and those of this process among them. Instants are milliseconds. */
export type MemberLeases = {
  /** Renews the leases of names. Returns the names whose lease was missing, or had expired, and begins anew. */
  renew: (names: readonly string[], at_ms: number) => Promise<string[]>
  /** The number of leases of each name that have not expired, and whether one is of this process. */
  count: (at_ms: number) => Promise<(name: string) => { n: number; isOwn: boolean }>
  /** Removes the leases of this process; without names all of them. */
  release: (names?: readonly string[]) => Promise<void>
}

const term_ms = 30_000
const prefix = 'member '

export function memberLeases(db: Catalog['db']): MemberLeases {
  const owner = randomUUID()
  const leaseOf = (name: string): string => `${prefix}${name} ${owner}`
  return {
    renew: async (names, at_ms) => {
      const expires_ms = at_ms + term_ms
      const owned = db.updateTable('tapeline_leases').set({ expires_ms }).where('owner', '=', owner)
      const renewed = await owned.where('expires_ms', '>', at_ms).returning('name').execute()
      const kept = new Set(renewed.map(({ name }) => name))
      const members = db.deleteFrom('tapeline_leases').where('name', 'like', `${prefix}%`)
      await members.where('expires_ms', '<=', at_ms).execute()
      // A later end is that of a clock that was set back since. A dead process must not count until then.
      const later = db.updateTable('tapeline_leases').set({ expires_ms }).where('name', 'like', `${prefix}%`)
      await later.where('expires_ms', '>', expires_ms).execute()
      const joining = names.filter((name) => !kept.has(leaseOf(name)))
      const rows = joining.map((name) => ({ name: leaseOf(name), owner, expires_ms }))
      if (rows.length > 0) await db.insertInto('tapeline_leases').values(rows).execute()
      return joining
    },
    count: async (at_ms) => {
      const members = db.selectFrom('tapeline_leases').select('name').where('name', 'like', `${prefix}%`)
      const leases = (await members.where('expires_ms', '>', at_ms).execute()).map(({ name }) => name)
      return (name) => ({
        n: leases.filter((lease) => lease.startsWith(`${prefix}${name} `)).length,
        isOwn: leases.includes(leaseOf(name)),
      })
    },
    release: async (names) => {
      const owned = db.deleteFrom('tapeline_leases').where('owner', '=', owner)
      await (names === undefined ? owned : owned.where('name', 'in', names.map(leaseOf))).execute()
    },
  }
}
