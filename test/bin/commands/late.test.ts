import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { openDatabase } from '#lake/catalog/database.ts'
import { forgetFollows, readFollows, type Followed } from '#lake/catalog/follows.ts'
import { openLake } from '#lake/lake.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { runMain } from '#test/bin/run_main.ts'
import { eventually } from '#test/run/eventually.ts'

const hour_ms = 3_600_000

/** A home that a follow reads, from a venue one of whose hosts refuses every request. */
async function followedHome() {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-late-'))
  const upstream = await serveWorld({ world: createWorld({ seed: 9, scale: 0.01 }), clock: () => Date.now() * 1_000 })
  const refusing = createServer((_, response) => response.writeHead(403).end('blocked')).listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  const limitless = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`
  const settings = worldSettings({ ...upstream, hosts: { ...upstream.hosts, limitless } })
  const env = { ...settings, TAPELINE_HOME: home }
  onTestFinished(async () => {
    refusing.close()
    await upstream.close()
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  })
  // The catalog alone: a lake has two instances of DuckDB, and the test asks again and again.
  await (await openLake(home, { threads: 1, memory: '200MB' })).close()
  const catalog = openDatabase(join(home, 'catalog.sqlite'))
  onTestFinished(catalog.close)
  const follow = () => {
    const args = ['bin/tapeline.js', 'follow', '--from', '2026-11-01']
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal)
      await ended
    }
    onTestFinished(() => end('SIGKILL'))
    return end
  }
  return {
    follow,
    followed: (): Promise<Followed[]> => readFollows(catalog),
    /** Sets all instants back, as if time had passed. */
    pass: async (ms: number): Promise<void> => {
      const rows = await readFollows(catalog)
      await forgetFollows(catalog)
      for (const row of rows) {
        const [began_ms, seen_ms] = [row.began_ms - ms, row.seen_ms - ms]
        const read_ms = row.read_ms === null ? null : row.read_ms - ms
        await catalog.db
          .insertInto('tapeline_follows')
          .values({ ...row, began_ms, seen_ms, read_ms })
          .execute()
      }
    },
    status: () => runMain(['status'], env),
  }
}

test('status names a refused host with its answer, then a killed follow, and nothing once a follow is ended', async () => {
  const { follow, followed, pass, status } = await followedHome()
  const end = follow()
  const refused = async (): Promise<Followed | undefined> =>
    (await followed()).find(({ source, failed_rounds }) => source === 'limitless_markets' && failed_rounds > 0)
  await eventually(async () => expect((await followed()).filter(({ read_ms }) => read_ms !== null)).not.toEqual([]))
  const requested = async () =>
    (await followed()).filter(({ part, read_ms }) => part === 'requested' && read_ms !== null)
  await eventually(async () => expect(await requested()).not.toEqual([]))
  await eventually(async () => expect(await refused()).toMatchObject({ fault: expect.stringMatching(/answered 403/) }))

  // Within an hour only the refused sources stay late, since the others have rounds again.
  await pass(hour_ms)
  await eventually(async () => {
    const { code, out } = await status()
    expect(code).toBe(1)
    expect(out).toMatch(/late {6}limitless_markets limitless: read .* failed rounds in a row: .*answered 403/)
    expect(out).not.toMatch(/late {6}polymarket_markets/)
  }, 500)

  await end('SIGKILL')
  await pass(hour_ms)
  const dead = await status()
  expect(dead.code).toBe(1)
  expect(dead.out).toMatch(
    /late {6}polymarket_markets polymarket: .*no follow has run since .*; expected `tapeline start`/,
  )

  const begun_ms = Date.now()
  const endAgain = follow()
  await eventually(async () => expect((await followed()).every(({ began_ms }) => began_ms >= begun_ms)).toBe(true))
  await endAgain('SIGTERM')
  expect(await followed()).toEqual([])
  expect((await status()).out).not.toMatch(/^late/m)
})
