import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { openAccounts } from '#accounts/accounts.ts'
import { findKey } from '#accounts/keys.ts'
import { backupHome } from '#bin/backup/backup_home.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { unitPath } from '#lake/units/unit.ts'
import { verifyLake } from '#lake/verify.ts'
import { runMain } from '#test/bin/run_main.ts'
import { lifeOf, newHome, newLake } from '#test/lake/fixture.ts'
import { machineClock } from '#time.ts'

import { bidsOf, keys, newStoredHome, replace } from './fixture.ts'

const bids = Object.fromEntries(keys.map((key, n) => [key, n === 0 ? 0.000001 : 0.000007]))

/** A new folder that does not exist yet. */
const newFolder = async (): Promise<string> => join(await newHome(), 'b')
const envOf = (home: string) => ({ TAPELINE_HOME: home, TAPELINE_THREADS: '1', TAPELINE_MEMORY: '256MB' })

/** Ends a command after its n-th data file, as a kill does. */
async function killed(command: 'backup' | 'restore', home: string, folder: string, n: number): Promise<void> {
  const args = ['test/bin/backup/worker.ts', command, home, folder, String(n)]
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], { stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
}

describe('tapeline backup', () => {
  test('holds the lake as of one snapshot, while others replace units and delete the replaced files', async () => {
    const { home, lake, apiKey } = await newStoredHome()
    const folder = await newFolder()
    let changing: Promise<unknown> | undefined
    const change = async (): Promise<void> => {
      for (const key of keys) await replace(lake, key, 9n)
      await vacuum(lake, { now: machineClock() + 1, keep_ms: 0 })
    }
    const copied = await backupHome(lake, { home, database: undefined }, folder, () => {
      changing ??= change()
    })
    await changing
    expect(copied).toMatchObject({ n_files: keys.length, isContinued: false })
    const restored = await newLake({ home: folder })
    expect(await verifyLake(restored)).toEqual({ n_files: keys.length, faults: [] })
    expect(await bidsOf(restored)).toEqual(bids)
    expect(await bidsOf(lake)).toEqual(Object.fromEntries(keys.map((key) => [key, 0.000009])))
    const accounts = await openAccounts(join(folder, 'accounts.db'))
    onTestFinished(() => accounts.destroy())
    expect(await findKey(accounts, apiKey)).toMatchObject({ tier: 'pro' })
    // The replaced files go once no backup needs them.
    expect(await lake.catalog.db.selectFrom('tapeline_pins').selectAll().execute()).toEqual([])
    await vacuum(lake, { now: machineClock() + 1, keep_ms: 0 })
    expect(await readdir(join(home, 'lake/quotes/v1'), { recursive: true })).toHaveLength(
      (await readdir(join(folder, 'lake/quotes/v1'), { recursive: true })).length,
    )
  })

  test('names the lake, its snapshot and its size, and forgets the work of the processes of the home', async () => {
    const { home, lake } = await newStoredHome()
    const at = { began_ms: 1, seen_ms: 1, reached: null, read_ms: null, failed_rounds: 3, fault: 'away' }
    await lake.catalog.db
      .insertInto('tapeline_follows')
      .values({ source: 'polymarket_odds', part: 'polymarket', every_s: 60, ...at })
      .execute()
    const folder = await newFolder()
    const { code, out } = await runMain(['backup', folder, '--json'], envOf(home))
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, folder, n_files: 6, n_raw: 0, is_continued: false })
    const status = await runMain(['status', '--json'], envOf(folder))
    expect(JSON.parse(status.out)).toMatchObject({ world: 'real', followed: [] })
    expect(status.code).toBe(0)
    expect((await runMain(['status'], envOf(home))).code).toBe(1)
    expect((await runMain(['undo', unitPath(lifeOf('0x0')), '--dry-run'], envOf(folder))).err).toContain(
      'no former reading is kept',
    )
  })

  test.each([1, 4, keys.length])('killed after file %i: no command takes it for a home, and it goes on', async (n) => {
    const { home, lake } = await newStoredHome()
    const folder = await newFolder()
    await killed('backup', home, folder, n)
    for (const command of [['status'], ['verify'], ['repair'], ['serve', '--port', '0'], ['backup', await newFolder()]])
      expect(await runMain(command, envOf(folder))).toMatchObject({
        code: 1,
        err: expect.stringContaining('its backup did not end; expected the same `tapeline backup` again'),
      })
    expect((await runMain(['restore', folder], envOf(await newFolder()))).err).toContain('no whole backup')
    // The lease of the killed process.
    await lake.catalog.db.deleteFrom('tapeline_leases').execute()
    const { code, out } = await runMain(['backup', folder, '--json'], envOf(home))
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, is_continued: true })
    expect((await readdir(folder)).toSorted()).toEqual(['accounts.db', 'backup.json', 'catalog.sqlite', 'lake'])
    expect((await runMain(['verify'], envOf(folder))).out).toBe('6 files verified, 0 faults\n')
  })

  test('refuses a folder with other contents, a whole backup, that of another lake, and one within the home', async () => {
    const [{ home }, another] = [await newStoredHome(), await newStoredHome()]
    const folder = await newFolder()
    const refused = async (target: string): Promise<string> => {
      const { code, err } = await runMain(['backup', target], envOf(home))
      expect(code).toBe(1)
      return err
    }
    await mkdir(folder)
    await writeFile(join(folder, 'a file'), '')
    expect(await refused(folder)).toBe(`tapeline backup: ${folder}: not empty; expected an empty folder\n`)
    await rm(join(folder, 'a file'))
    expect((await runMain(['backup', folder], envOf(home))).code).toBe(0)
    expect(await refused(folder)).toMatch(/a whole backup of 2.*Z; expected an empty folder\n$/)
    const begun = await newFolder()
    await killed('backup', another.home, begun, 2)
    expect(await refused(begun)).toMatch(/an unfinished backup of the lake .*; expected an empty folder\n$/)
    expect(await refused(join(home, 'b'))).toContain(`within the home ${home}; expected a folder outside of it`)
    expect(await refused(home)).toContain('within the home')
  })

  test('fails where the lake is damaged, and says what helps', async () => {
    const { home, lake } = await newStoredHome()
    const [file = ''] = await lake.storage.list('lake')
    await chmod(join(home, file), 0o600)
    await writeFile(join(home, file), 'damage')
    const folder = await newFolder()
    const failed = async (): Promise<unknown> => (await runMain(['backup', folder], envOf(home))).err
    expect(await failed()).toBe(
      `tapeline backup: ${file}: changed; expected as it was stored: \`tapeline repair\` sets it aside\n`,
    )
    expect((await runMain(['repair'], envOf(home))).code).toBe(0)
    expect((await runMain(['backup', folder], envOf(home))).code).toBe(0)
    expect((await runMain(['verify'], envOf(folder))).code).toBe(0)
  })
})

describe('tapeline restore', () => {
  test.each([1, keys.length])('killed after file %i: no command takes it for a home, and it goes on', async (n) => {
    const [{ home, apiKey }, folder, restored] = [await newStoredHome(), await newFolder(), await newFolder()]
    await runMain(['backup', folder], envOf(home))
    await killed('restore', restored, folder, n)
    expect((await runMain(['status'], envOf(restored))).err).toContain('its restore did not end')
    expect(await runMain(['restore', folder], envOf(restored))).toMatchObject({ code: 0 })
    expect((await runMain(['verify'], envOf(restored))).out).toBe('6 files verified, 0 faults\n')
    const accounts = await openAccounts(join(restored, 'accounts.db'))
    onTestFinished(() => accounts.destroy())
    expect(await findKey(accounts, apiKey)).toMatchObject({ tier: 'pro' })
    expect(await bidsOf(await newLake({ home: restored }))).toEqual(bids)
    expect((await runMain(['restore', folder], envOf(restored))).err).toContain('not empty; expected an empty folder')
  })

  test('finds a file of the backup that has changed', async () => {
    const [{ home, lake }, folder] = [await newStoredHome(), await newFolder()]
    await runMain(['backup', folder], envOf(home))
    const [file = ''] = await lake.storage.list('lake')
    await writeFile(join(folder, file), 'damage')
    expect((await runMain(['restore', folder], envOf(await newFolder()))).err).toContain(`${file}: changed`)
  })
})
