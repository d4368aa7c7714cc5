import { createHash, randomInt, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'

import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import type { Tier } from './tiers.ts'

/** The account that a key belongs to, and its tier. */
export type Caller = { account_id: string; tier: Tier }

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^tl_live_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/**
 * Creates an account of the tier with one key. A given key can work in several stores; by default the key is new. Only
 * the hash of the key is stored, so only this function returns the key.
 */
export async function createKey(accounts: Accounts, of: { tier: Tier; now: Micros; key?: string }): Promise<string> {
  const account = { id: randomUUID(), tier: of.tier, created_at: of.now, disabled_at: null }
  const key = of.key ?? newKey()
  const row = { hash: hashKey(key), id: randomUUID(), account_id: account.id, name: '', start: key.slice(0, 14) }
  await accounts.transaction().execute(async (db) => {
    await db.insertInto('accounts').values(account).execute()
    await db
      .insertInto('keys')
      .values({ ...row, created_at: of.now, last_used_at: null, revoked_at: null })
      .execute()
  })
  return key
}

/** The caller of a key; null if the key is mistyped, unknown or revoked. */
export async function findKey(accounts: Accounts, key: string): Promise<Caller | null> {
  if (!isWellFormed(key)) return null
  const row = await accounts
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .select(['accounts.id as account_id', 'accounts.tier'])
    .where('keys.hash', '=', hashKey(key))
    .where('keys.revoked_at', 'is', null)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** Revokes a key. Returns whether it was valid until now. */
export async function revokeKey(accounts: Accounts, of: { key: string; now: Micros }): Promise<boolean> {
  const { numUpdatedRows } = await accounts
    .updateTable('keys')
    .set({ revoked_at: of.now })
    .where('hash', '=', hashKey(of.key))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Whether the checksum matches, which finds typing errors without a lookup. */
export function isWellFormed(key: string): boolean {
  const [, random, checksum] = form.exec(key) ?? []
  return random !== undefined && checksumOf(random) === checksum
}

/** A key has 178 random bits, so a fast hash is enough. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex')

const newKey = (): string => {
  const random = Array.from({ length: 30 }, () => digits[randomInt(digits.length)]).join('')
  return `tl_live_${random}${checksumOf(random)}`
}

/** The CRC-32 of the random part as six digits in base 62. */
const checksumOf = (random: string): string => {
  let rest = crc32(random)
  let checksum = ''
  while (checksum.length < 6) {
    checksum = `${digits[rest % 62]}${checksum}`
    rest = Math.floor(rest / 62)
  }
  return checksum
}
