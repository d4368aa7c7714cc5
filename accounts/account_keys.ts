import type { Micros } from '#time.ts'

import { lockAccount, type Accounts } from './accounts.ts'
import { recordEvent, type AuditEvent } from './audit.ts'
import { hashKey, insertKey, type NewKey } from './keys.ts'
import type { KeyRow } from './tables.ts'

/** A valid key as its owner sees it. */
export type ListedKey = Pick<KeyRow, 'id' | 'name' | 'start' | 'created_at' | 'last_used_at'>

/** Valid keys of one account at a time. */
export const maxKeys = 10

/** A change of keys: whose, by whom, and when. */
export type KeyChange = { account_id: string; actor: AuditEvent['actor']; network?: string | null; now: Micros }

/** The valid keys of an account, the newest first. */
export const listKeys = (accounts: Accounts, account_id: string): Promise<ListedKey[]> =>
  accounts
    .selectFrom('keys')
    .select(['id', 'name', 'start', 'created_at', 'last_used_at'])
    .where('account_id', '=', account_id)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()

/** Creates a key. Returns null if the account has `maxKeys` valid keys, or does not exist. */
export const addKey = (accounts: Accounts, change: KeyChange, name: string): Promise<NewKey | null> =>
  accounts.transaction().execute(async (db) => {
    const { account_id, now } = change
    if (!(await lockAccount(db, account_id))) return null
    if ((await listKeys(db, account_id)).length >= maxKeys) return null
    const key = await insertKey(db, { account_id, name, now })
    await record(db, change, 'key_created', key)
    return key
  })

/** Replaces a key by a new key of the same name, in one step. Returns null if the account has no such valid key. */
export const regenerateKey = (accounts: Accounts, change: KeyChange, id: string): Promise<NewKey | null> =>
  accounts.transaction().execute(async (db) => {
    const { account_id, now } = change
    const old = await revoke(db, { id, account_id, now })
    if (!old) return null
    const key = await insertKey(db, { account_id, name: old.name, now })
    await record(db, change, 'key_regenerated', key)
    return key
  })

/** Revokes a key. Returns whether the account had such a valid key. */
export const removeKey = (accounts: Accounts, change: KeyChange, id: string): Promise<boolean> =>
  accounts.transaction().execute(async (db) => {
    const { account_id, now } = change
    const old = await revoke(db, { id, account_id, now })
    if (old) await record(db, change, 'key_revoked', old)
    return old !== null
  })

/** Revokes a key by its text, id or first characters, for the operator. Returns the number of valid keys that match. */
export const revokeKey = (accounts: Accounts, { key, now }: { key: string; now: Micros }): Promise<number> =>
  accounts.transaction().execute(async (db) => {
    // A write as the first statement waits for other writers. After a read, SQLite refuses it at once.
    const matches = await db
      .updateTable('keys')
      .set((eb) => ({ revoked_at: eb.ref('revoked_at') }))
      .where((eb) => eb.or([eb('hash', '=', hashKey(key)), eb('id', '=', key), eb('start', '=', key)]))
      .where('revoked_at', 'is', null)
      .returning(['id', 'account_id', 'start'])
      .execute()
    const [match] = matches
    if (match === undefined || matches.length > 1) return matches.length
    await revoke(db, { id: match.id, account_id: match.account_id, now })
    await record(db, { account_id: match.account_id, actor: 'operator', now }, 'key_revoked', match)
    return 1
  })

const revoke = async (db: Accounts, target: { id: string; account_id: string; now: Micros }) =>
  (await db
    .updateTable('keys')
    .set({ revoked_at: target.now })
    .where('id', '=', target.id)
    .where('account_id', '=', target.account_id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name', 'start'])
    .executeTakeFirst()) ?? null

/** The first characters identify the key; they are no secret. */
const record = (
  db: Accounts,
  { now, ...change }: KeyChange,
  event: AuditEvent['event'],
  { id, start }: { id: string; start: string },
) => recordEvent(db, { at: now, ...change, event, detail: { key: id, start } })
