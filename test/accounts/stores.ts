import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, describe } from 'vitest'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
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
