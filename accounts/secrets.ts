import { randomBytes } from 'node:crypto'

import type { Accounts } from './accounts.ts'

/** A secret of this installation, 32 bytes, made the first time that it is asked for. */
export async function secretOf(accounts: Accounts, name: string): Promise<Buffer> {
  const value = randomBytes(32).toString('base64url')
  await accounts
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const kept = await accounts.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return Buffer.from(kept.value, 'base64url')
}
