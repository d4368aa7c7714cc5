import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'

import { findKey } from '#accounts/keys.ts'
import { createWatchlist } from '#accounts/watchlists/watchlists.ts'
import { fileDigest } from '#snapshots/digest.ts'
import { publicationNames } from '#snapshots/publications.ts'
import { flip } from '#test/api/fixture.ts'
import { startService, type Service } from '#test/api/service.ts'

import { entities } from './entities.ts'

/** The instant of the questions. */
export const askedAt_ms = Date.UTC(2026, 2, 1, 12)

const meta = `create schema marts; create schema meta;
  create table meta.build (name VARCHAR, publication VARCHAR, snapshot_id VARCHAR, as_of TIMESTAMP, n_rows BIGINT,
    content_hash VARCHAR, model_hash VARCHAR, built_at TIMESTAMP, took_s BIGINT);`

/** Starts a service over the fixed mart. `more` is SQL that runs on a publication after its rows are written. */
export async function startFixedMart(
  of: { more?: { scores?: string; pulse?: string } } & Omit<
    NonNullable<Parameters<typeof startService>[0]>,
    'isEmpty'
  > = {},
): Promise<Service> {
  const { more = {}, ...parts } = of
  const service = await startService({ rateFactor: 100, ...parts, isEmpty: true })
  await publishFixedMart(service, 'fixed', more)
  service.clock.at = askedAt_ms * 1_000
  const caller = await findKey(service.accounts, service.keys.enterprise)
  await service.accounts.transaction().execute(async (db) => {
    for (const list of watchlists)
      await createWatchlist(db, { account_id: caller?.account_id ?? '', ...list, most: 5, now: 0 })
  })
  return service
}

/** Publishes the fixed mart as the snapshots of a name. */
export async function publishFixedMart(
  { dir, marts }: Pick<Service, 'dir' | 'marts'>,
  name: string,
  more: { scores?: string; pulse?: string } = {},
): Promise<void> {
  for (const publication of publicationNames()) {
    const rows = await readFile(new URL(`mart/${publication}.sql`, import.meta.url), 'utf8')
    await writeMart(dir, { publication, name }, `${meta}\n${rows}\n${more[publication] ?? ''}`)
  }
  await flip(dir, name)
  await marts.refresh()
}

const watchlists = [
  {
    name: 'Sharp traders',
    type: 'wallets' as const,
    items: [entities['T1'] ?? '', entities['T6'] ?? ''],
    addresses: [],
  },
  { name: 'Majors', type: 'assets' as const, items: ['BTC', 'ETH'], addresses: [] },
]

async function writeMart(dir: string, of: { publication: string; name: string }, sql: string): Promise<void> {
  const { publication } = of
  const id = `${publication}-${of.name}`
  const file = join(dir, `${id}.duckdb`)
  const instance = await DuckDBInstance.create(file, { threads: '1' })
  const connection = await instance.connect()
  await connection.run(`${sql}
    insert into meta.build values ('table', '${publication}', '${id}', '2026-03-01 12:00:00', 0, '', '',
      '2026-03-01 12:00:07.5', 1);
    checkpoint;`)
  connection.closeSync()
  instance.closeSync()
  await writeFile(join(dir, `${id}.sha256`), await fileDigest(file))
}
