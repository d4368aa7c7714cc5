import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, describe } from 'vitest'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { createKey, findKey } from '#accounts/keys.ts'
import type { Tier } from '#accounts/tiers.ts'
import { commands, startPostgres, type PostgresServer } from '#test/lake/catalog/postgres.ts'

/** Stores of one database system. All that a test opens is closed after it. */
export type Stores = {
  name: 'SQLite' | 'PostgreSQL'
  /** The file or URL of a store that does not exist yet. */
  place: () => Promise<string>
  /** Opens a store: that of a place, or a new one. */
  open: (place?: string) => Promise<Accounts>
}

/** Defines the same tests on SQLite and on a PostgreSQL server. */
export function describeStores(run: (stores: Stores) => void): void {
  describe('on SQLite', () => {
    const homes: string[] = []
    const place = async () => {
      const home = await mkdtemp(join(tmpdir(), 'tapeline-'))
      homes.push(home)
      return join(home, 'accounts.db')
    }
    run(storesOf('SQLite', place))
    afterEach(async () => {
      for (const home of homes.splice(0)) await rm(home, { recursive: true })
    })
  })

  describeOnPostgres(run)
}

/** Defines tests on a PostgreSQL server alone. */
export function describeOnPostgres(run: (stores: Stores) => void): void {
  describe.skipIf(commands === undefined)('on PostgreSQL', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(async () => server.stop())
    run(storesOf('PostgreSQL', () => server.newDatabase()))
  })
}

function storesOf(name: Stores['name'], place: Stores['place']): Stores {
  const opened: Accounts[] = []
  // Hooks run in reverse order, so the stores are closed before their files are removed.
  afterEach(async () => {
    for (const accounts of opened.splice(0)) await accounts.destroy()
  })
  const open = async (given?: string) => {
    const accounts = await openAccounts(given ?? (await place()))
    opened.push(accounts)
    return accounts
  }
  return { name, place, open }
}

/** The instant of tests that need any. */
export const noon = Date.UTC(2026, 2, 1, 12) * 1_000

/** Creates an account, and returns its id. */
export async function newAccount(accounts: Accounts, tier: Tier = 'pro'): Promise<string> {
  const caller = await findKey(accounts, await createKey(accounts, { tier, now: noon }))
  if (!caller) throw new Error('the new key is expected to be found')
  return caller.account_id
}
