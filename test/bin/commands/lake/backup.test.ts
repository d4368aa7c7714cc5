import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { openAccounts } from '#accounts/accounts.ts'
import { findKey } from '#accounts/keys.ts'
import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { openLake } from '#lake/lake.ts'
import { latestSnapshot } from '#lake/snapshot.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { runMain } from '#test/bin/run_main.ts'
import { newHome } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'

const manifestShape = z.object({ snapshot: z.number(), at: z.string(), n_files: z.number(), n_raw: z.number() })
const scoreShape = z.object({ tables: z.array(z.looseObject({ n_rows: z.number() })) })

/** A home that a follow fills in another process, and the settings of its commands. */
async function followedHome() {
  const parent = await newHome()
  const upstream = await serveWorld({ world: createWorld({ seed: 9, scale: 0.01 }), clock: () => Date.now() * 1_000 })
  const base = { ...worldSettings(upstream), TAPELINE_THREADS: '1', TAPELINE_MEMORY: '500MB' }
  const env = { ...base, TAPELINE_HOME: join(parent, 'home') }
  const args = ['bin/tapeline.js', 'follow', '--from', '2026-11-01']
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(async () => {
    await end()
    await upstream.close()
    await rm(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  })
  const snapshot = async (): Promise<number> => {
    const lake = await openLake(env.TAPELINE_HOME, { threads: 1, memory: '200MB' })
    const latest = await latestSnapshot(lake.catalog)
    await lake.close()
    return latest
  }
  return { parent, env, base, end, snapshot }
}

test('a backup while a follow writes is restored elsewhere, with the same tables and keys', async () => {
  const { parent, env, base, end, snapshot } = await followedHome()
  await eventually(async () => expect(await snapshot()).toBeGreaterThan(20))
  const key = (await runMain(['key', 'create', '--tier', 'pro'], env)).out.trim()
  const folder = join(parent, 'backup')
  const backup = await runMain(['backup', folder, '--json'], env)
  expect(backup.code).toBe(0)
  const copied = manifestShape.parse(JSON.parse(backup.out))
  expect(copied.n_files).toBeGreaterThan(10)
  expect(copied.n_raw).toBeGreaterThan(10)
  // The follow goes on beside it.
  await eventually(async () => expect(await snapshot()).toBeGreaterThan(copied.snapshot))
  await end()

  const restored = { ...base, TAPELINE_HOME: join(parent, 'restored') }
  expect((await runMain(['restore', folder], restored)).code).toBe(0)
  expect((await runMain(['verify'], restored)).out).toBe(
    `${copied.n_files.toLocaleString('en')} files verified, 0 faults\n`,
  )
  const tables = async (settings: typeof env, ...asked: string[]): Promise<{ n_rows: number }[]> => {
    const { code, out } = await runMain(['score', '--as-of', copied.at, '--json', ...asked], settings)
    expect(code).toBe(0)
    return scoreShape.parse(JSON.parse(out)).tables
  }
  const former = await tables(env, '--lake-snapshot', String(copied.snapshot))
  expect(former.filter(({ n_rows }) => n_rows > 0).length).toBeGreaterThan(5)
  expect(await tables(restored)).toEqual(former)
  const accounts = await openAccounts(join(restored.TAPELINE_HOME, 'accounts.db'))
  onTestFinished(() => accounts.destroy())
  expect(await findKey(accounts, key)).toMatchObject({ tier: 'pro' })
})
