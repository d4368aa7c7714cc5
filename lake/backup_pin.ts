import type { Transaction } from 'kysely'

import type { Micros } from '#time.ts'

import type { CatalogTables } from './catalog/tables.ts'
import type { LakeFiles } from './snapshot.ts'
import { assertSnapshot, pinSnapshot } from './snapshot.ts'

/** The name of the lease of a backup that runs, and of its pin. */
export const backupName = 'backup'

/** The pin of a backup whose lease ended longer ago is that of a killed one. */
const killedAfter_ms = 3_600_000

/** Keeps the files of a snapshot until the backup ends. Throws if the lake no longer keeps the snapshot. */
export const pinBackup = ({ catalog, storage }: LakeFiles, snapshot: number): Promise<void> =>
  catalog.commit(async ({ tx }) => {
    const lake = { catalog: { ...catalog, db: tx }, storage }
    await assertSnapshot(lake.catalog, snapshot)
    await pinSnapshot(lake, backupName, snapshot)
  })

/** Releases the snapshot of a backup that was killed. */
export async function unpinKilled(tx: Transaction<CatalogTables>, now: Micros): Promise<void> {
  const lease = tx.selectFrom('tapeline_leases').select('name').where('name', '=', backupName)
  if ((await lease.where('expires_ms', '>', now / 1_000 - killedAfter_ms).executeTakeFirst()) !== undefined) return
  await tx.deleteFrom('tapeline_pins').where('name', '=', backupName).execute()
}
