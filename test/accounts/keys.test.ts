import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import Libsql from 'libsql'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import { revokeKey } from '#accounts/account_keys.ts'
import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { openKeyring } from '#accounts/keyring.ts'
import { createKey, findKey, isWellFormed } from '#accounts/keys.ts'
import { openPageTokens } from '#accounts/sign_in/page_tokens.ts'
import { newHome } from '#test/lake/fixture.ts'

import { describeStores } from './stores.ts'

const now = Date.UTC(2026, 2, 1, 12) * 1_000
const tokens = openPageTokens(Buffer.alloc(32, 1))

describeStores(({ open }) => {
  let accounts: Accounts
  beforeEach(async () => {
    accounts = await open()
  })

  describe('a key', () => {
    test('is a prefix, 30 characters and their CRC-32 to the base of 62', async () => {
      const key = await createKey(accounts, { tier: 'free', now })
      expect(key).toMatch(/^tl_live_[0-9A-Za-z]{36}$/)
      const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
      const value = key
        .slice(-6)
        .split('')
        .reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
      expect(value).toBe(crc32(key.slice(8, 38)))
    })

    test('with one character changed does not fit its checksum', async () => {
      const key = await createKey(accounts, { tier: 'free', now })
      for (let i = 0; i < key.length; i++) {
        const changed = key.slice(0, i) + (key[i] === 'a' ? 'b' : 'a') + key.slice(i + 1)
        expect(isWellFormed(changed), changed).toBe(false)
      }
      expect([isWellFormed(key), isWellFormed(''), isWellFormed(`${key}0`), isWellFormed(` ${key}`)]).toEqual([
        true,
        false,
        false,
        false,
      ])
    })

    test('belongs to its account and tier', async () => {
      const free = await findKey(accounts, await createKey(accounts, { tier: 'free', now }))
      const pro = await findKey(accounts, await createKey(accounts, { tier: 'pro', now }))
      expect([free?.tier, pro?.tier]).toEqual(['free', 'pro'])
      expect(free?.account_id).not.toBe(pro?.account_id)
    })

    test('is kept as its SHA-256 alone', async () => {
      const key = await createKey(accounts, { tier: 'pro', now })
      const row = await accounts.selectFrom('keys').selectAll().executeTakeFirstOrThrow()
      expect(row).toMatchObject({
        hash: createHash('sha256').update(key).digest('hex'),
        start: key.slice(0, 14),
        created_at: now,
        revoked_at: null,
      })
      expect(JSON.stringify(row)).not.toContain(key.slice(14))
    })

    test('that was revoked or never created has no caller', async () => {
      const key = await createKey(accounts, { tier: 'pro', now })
      expect(await revokeKey(accounts, { key, now })).toBe(1)
      expect(await findKey(accounts, key)).toBeNull()
      expect(await revokeKey(accounts, { key, now })).toBe(0)
      const other = await open()
      expect(await findKey(accounts, await createKey(other, { tier: 'pro', now }))).toBeNull()
    })
  })

  describe('a keyring', () => {
    test('accepts a verified key at once, and rejects it within five seconds of its revocation', async () => {
      const clock = { at: now }
      const { find, isStranger } = openKeyring(accounts, tokens, () => clock.at)
      const key = await createKey(accounts, { tier: 'pro', now })
      expect(await find(key)).toMatchObject({ tier: 'pro' })
      expect(find(key)).toMatchObject({ tier: 'pro' })
      await revokeKey(accounts, { key, now })
      clock.at += 5_000_000
      expect(isStranger(key)).toBe(false)
      expect(await find(key)).toBeNull()
      expect(isStranger(key)).toBe(true)
    })

    test('rejects a revoked key also if the clock is set back', async () => {
      const clock = { at: now }
      const { find } = openKeyring(accounts, tokens, () => clock.at)
      const key = await createKey(accounts, { tier: 'pro', now })
      await find(key)
      await revokeKey(accounts, { key, now })
      clock.at -= 3_600_000_000
      expect(await find(key)).toBeNull()
    })

    test('honours a key that was made after it was refused', async () => {
      const { find } = openKeyring(accounts, tokens, () => now)
      const elsewhere = await open()
      const key = await createKey(elsewhere, { tier: 'free', now })
      expect(await find(key)).toBeNull()
      const [row, account] = [
        await elsewhere.selectFrom('keys').selectAll().executeTakeFirstOrThrow(),
        await elsewhere.selectFrom('accounts').selectAll().executeTakeFirstOrThrow(),
      ]
      await accounts.insertInto('accounts').values(account).execute()
      await accounts.insertInto('keys').values(row).execute()
      expect(await find(key)).toMatchObject({ tier: 'free' })
    })
  })
})

test('a key is revoked while another process writes to the file', async () => {
  const file = join(await newHome(), 'accounts.db')
  const accounts = await openAccounts(file)
  onTestFinished(() => accounts.destroy())
  const key = await createKey(accounts, { tier: 'pro', now })
  const other = new Libsql(file, { timeout: 0 })
  onTestFinished(() => void other.close())
  let isOver = false
  const revoked = revokeKey(accounts, { key, now }).finally(() => {
    isOver = true
  })
  for (let n = 0; !isOver; n++) {
    try {
      other.exec(`insert into secrets (name, value) values ('${n}', '')`)
    } catch (error) {
      expect(error).toMatchObject({ code: 'SQLITE_BUSY' })
    }
    await Promise.resolve()
  }
  expect(await revoked).toBe(1)
})
