import { execFile, spawn } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'

import { addKey, listKeys, maxKeys, regenerateKey } from '#accounts/account_keys.ts'
import { openAccounts, secretOf } from '#accounts/accounts.ts'
import { createKey, findKey } from '#accounts/keys.ts'
import { migrations } from '#accounts/migrations/index.ts'
import { openLake } from '#lake/lake.ts'
import { newHome } from '#test/lake/fixture.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'

import { describeOnPostgres, describeStores } from './stores.ts'

const now = Date.UTC(2026, 2, 1, 12) * 1_000
const node = [...loader, '--input-type=module', '-e']

describeStores(({ open, place }) => {
  test('is made once by several processes that open it at the same time, and takes the keys of all', async () => {
    const at = await place()
    const script = `
      import { openAccounts } from '#accounts/accounts.ts'
      import { createKey } from '#accounts/keys.ts'
      const accounts = await openAccounts(${JSON.stringify(at)})
      console.log(await createKey(accounts, { tier: 'enterprise', now: ${now} }))
      await accounts.destroy()`
    const run = () => promisify(execFile)(process.execPath, [...node, script])
    const printed = await Promise.all([run(), run(), run()])
    const accounts = await open(at)
    for (const { stdout } of printed)
      expect(await findKey(accounts, stdout.trim())).toMatchObject({ tier: 'enterprise' })
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(accounts)
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(migrations).toSorted())
  })

  test('keeps its secrets, which are random', async () => {
    const at = await place()
    const accounts = await open(at)
    const secret = await secretOf(accounts, 'cursors')
    expect(secret).toHaveLength(32)
    const again = await open(at)
    expect(await secretOf(again, 'cursors')).toEqual(secret)
    expect(await secretOf(again, 'other')).not.toEqual(secret)
  })

  test('an account never has more than its most keys, whatever is created and regenerated at once', async () => {
    const accounts = await open()
    const { account_id = '' } = (await findKey(accounts, await createKey(accounts, { tier: 'pro', now }))) ?? {}
    const change = { account_id, actor: 'person', now } as const
    const [first] = await listKeys(accounts, account_id)
    const made = await Promise.all([
      ...Array.from({ length: 15 }, () => addKey(accounts, change, '')),
      ...Array.from({ length: 3 }, () => regenerateKey(accounts, change, first?.id ?? '')),
    ])
    expect(await listKeys(accounts, account_id)).toHaveLength(maxKeys)
    // The first key is regenerated once.
    expect(made.slice(15).filter(Boolean)).toHaveLength(1)
  })

  test('a kill in the middle of writes loses none that was answered', async () => {
    const at = await place()
    const script = `
      import { openAccounts } from '#accounts/accounts.ts'
      import { runOnce } from '#accounts/idempotency.ts'
      import { createKey, findKey } from '#accounts/keys.ts'
      const accounts = await openAccounts(${JSON.stringify(at)})
      const { account_id } = await findKey(accounts, await createKey(accounts, { tier: 'pro', now: ${now} }))
      const write = (i) => runOnce(accounts, { account_id, key: 'k' + i, fingerprint: 'f', now: ${now} }, async (db) => {
        await db.insertInto('secrets').values({ name: 'a' + i, value: '1' }).execute()
        await db.insertInto('secrets').values({ name: 'b' + i, value: '2' }).execute()
        return { status: 201, headers: [], body: '{}' }
      })
      for (let i = 0; i < 1000; i++) {
        await write(i)
        console.log(i)
      }`
    for (const answered of sized([300], [1, 150, 500, 950])) {
      const child = spawn(process.execPath, [...node, script], { stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = new Promise((resolve) => child.once('close', resolve))
      let n_answered = 0
      createInterface(child.stdout).on('line', () => {
        n_answered += 1
        if (n_answered === answered) child.kill('SIGKILL')
      })
      await ended
      const accounts = await open(at)
      const names = (await accounts.selectFrom('secrets').select('name').execute()).map(({ name }) => name)
      const responses = await accounts.selectFrom('idempotency_keys').select('key').execute()
      const expected = Array.from({ length: n_answered }, (_, i) => [`a${i}`, `b${i}`]).flat()
      expect(expected.filter((name) => !names.includes(name))).toEqual([])
      // A write is stored whole with its response, or not at all.
      expect(names).toHaveLength(2 * responses.length)
      await accounts.deleteFrom('secrets').execute()
      await accounts.deleteFrom('idempotency_keys').execute()
    }
  })
})

describe('on SQLite', () => {
  test('only the owner reads the files of the store', async () => {
    const home = await newHome()
    const accounts = await openAccounts(join(home, 'accounts.db'))
    const key = await createKey(accounts, { tier: 'pro', now })
    const names = await readdir(home)
    expect(names).toContain('accounts.db')
    for (const name of names) {
      expect((await readFile(join(home, name))).includes(key.slice(14)), name).toBe(false)
      expect((await stat(join(home, name))).mode & 0o077, name).toBe(0)
    }
    await accounts.destroy()
  })
})

describeOnPostgres(({ open, place }) => {
  test('the store lies beside the catalog of a lake in one database', async () => {
    const url = await place()
    const home = await newHome()
    const lake = await openLake(join(home, 'lake'), { threads: 1, memory: '100MB' }, url)
    const accounts = await open(url)
    const key = await createKey(accounts, { tier: 'pro', now })
    await lake.close()
    const again = await openLake(join(home, 'lake'), { threads: 1, memory: '100MB' }, url)
    await again.close()
    expect(await findKey(accounts, key)).toMatchObject({ tier: 'pro' })
  })
})
