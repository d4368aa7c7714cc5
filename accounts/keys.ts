import { createHash, randomInt, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'

import type { Accounts, Micros } from './accounts.ts'
import type { Tier } from './tiers.ts'

/** Who a key speaks for. */
export type Caller = { account_id: string; tier: Tier }

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^tl_live_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** Creates an account of the tier with one key. The key is returned only here: the store has its hash. */
export async function createKey(accounts: Accounts, of: { tier: Tier; now: Micros }): Promise<string> {
  const account = { id: randomUUID(), tier: of.tier, created_at: of.now }
  const key = newKey()
  const row = { hash: hashKey(key), account_id: account.id, start: key.slice(0, 14), created_at: of.now }
  await accounts.transaction().execute(async (db) => {
    await db.insertInto('accounts').values(account).execute()
    await db
      .insertInto('keys')
      .values({ ...row, revoked_at: null })
      .execute()
  })
  return key
}

/** The caller of a key; null where it is mistyped, unknown or revoked. */
export async function findKey(accounts: Accounts, key: string): Promise<Caller | null> {
  if (!isWellFormed(key)) return null
  const row = await accounts
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .select(['accounts.id as account_id', 'accounts.tier'])
    .where('keys.hash', '=', hashKey(key))
    .where('keys.revoked_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** Whether the key was live until now. */
export async function revokeKey(accounts: Accounts, of: { key: string; now: Micros }): Promise<boolean> {
  const { numUpdatedRows } = await accounts
    .updateTable('keys')
    .set({ revoked_at: of.now })
    .where('hash', '=', hashKey(of.key))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Whether the checksum is right, which detects typing errors without the store. */
export function isWellFormed(key: string): boolean {
  const [, random, checksum] = form.exec(key) ?? []
  return random !== undefined && checksumOf(random) === checksum
}

/** 178 bits of chance need no slow hash. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex')

const newKey = (): string => {
  const random = Array.from({ length: 30 }, () => digits[randomInt(digits.length)]).join('')
  return `tl_live_${random}${checksumOf(random)}`
}

/** CRC-32 of the random part, six digits to the base of 62. */
const checksumOf = (random: string): string => {
  let rest = crc32(random)
  let checksum = ''
  while (checksum.length < 6) {
    checksum = `${digits[rest % 62]}${checksum}`
    rest = Math.floor(rest / 62)
  }
  return checksum
}
