import { randomUUID } from 'node:crypto'

import type { Lake } from './lake.ts'

type Cataloged = Pick<Lake, 'catalog'>

/** The id of a lake, which its first reader makes. All processes that share the catalog read the same id. */
export async function lakeId(lake: Cataloged): Promise<string> {
  const stored = await storedId(lake)
  if (stored !== undefined) return stored
  const made = randomUUID()
  await lake.catalog.db
    .insertInto('tapeline_metadata')
    .values({ key: 'lake_id', value: made })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  // Another process may have made it at the same time.
  return (await storedId(lake)) ?? made
}

async function storedId({ catalog: { db } }: Cataloged): Promise<string | undefined> {
  const row = db.selectFrom('tapeline_metadata').select('value').where('key', '=', 'lake_id')
  return (await row.executeTakeFirst())?.value
}
