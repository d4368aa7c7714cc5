import { createHash, randomInt, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'

import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import { recordEvent } from './audit.ts'
import type { Tier } from './tiers.ts'

/** The account of a request and its tier. `key_id` is null for a signed-in page. */
export type Caller = { account_id: string; tier: Tier; key_id: string | null }

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^tl_live_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** A key as it is created. Only its hash is stored, so `key` is shown once. */
export type NewKey = { id: string; name: string; start: string; created_at: Micros; key: string }

/** Stores a new key of an account. A given key can work in several stores; by default the key is new. */
export async function insertKey(
  accounts: Accounts,
  { account_id, name, now, key = newKey() }: { account_id: string; name: string; now: Micros; key?: string },
): Promise<NewKey> {
  const shown = { id: randomUUID(), name, start: key.slice(0, 14), created_at: now }
  await accounts
    .insertInto('keys')
    .values({ ...shown, hash: hashKey(key), account_id, last_used_at: null, revoked_at: null })
    .execute()
  return { ...shown, key }
}

/** Creates an account of the tier with one key, and returns the key. The account belongs to no person. */
export async function createKey(
  accounts: Accounts,
  options: { tier: Tier; now: Micros; key?: string },
): Promise<string> {
  const account = { id: randomUUID(), tier: options.tier, created_at: options.now, disabled_at: null }
  return accounts.transaction().execute(async (db) => {
    await db.insertInto('accounts').values(account).execute()
    const chosenKey = options.key === undefined ? {} : { key: options.key }
    const created = await insertKey(db, { account_id: account.id, name: '', now: options.now, ...chosenKey })
    const detail = { key: created.id, start: created.start, tier: options.tier }
    await recordEvent(db, { at: options.now, account_id: account.id, event: 'key_created', actor: 'operator', detail })
    return created.key
  })
}

/** The caller of a key; null if the key is mistyped, unknown or revoked, or its account disabled. */
export async function findKey(accounts: Accounts, key: string): Promise<Caller | null> {
  if (!isWellFormed(key)) return null
  const row = await accounts
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .select(['accounts.id as account_id', 'accounts.tier', 'keys.id as key_id'])
    .where('keys.hash', '=', hashKey(key))
    .where('keys.revoked_at', 'is', null)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
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
