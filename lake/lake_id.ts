import { randomUUID } from 'node:crypto'

import type { Lake } from './lake.ts'

/** The id of a lake, which its first reader makes. All processes that share the catalog read the same id. */
export async function lakeId({ catalog: { db } }: Pick<Lake, 'catalog'>): Promise<string> {
  const stored = async (): Promise<string | undefined> =>
    (await db.selectFrom('tapeline_metadata').select('value').where('key', '=', 'lake_id').executeTakeFirst())?.value
  const known = await stored()
  if (known !== undefined) return known
  const made = randomUUID()
  await db
    .insertInto('tapeline_metadata')
    .values({ key: 'lake_id', value: made })
    .onConflict((of) => of.doNothing())
    .execute()
  return (await stored()) ?? made
}
