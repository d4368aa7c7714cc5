import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, expect, onTestFinished, test } from 'vitest'

import { openBuilds } from '#bin/builds/open_builds.ts'
import { LeaseHeld } from '#lake/catalog/lease.ts'
import { openLake } from '#lake/lake.ts'
import { currentSnapshot } from '#snapshots/snapshot.ts'
import { eventually, until } from '#test/run/eventually.ts'

const limits = { threads: 1, memory: '512MB' }
const noon = Date.UTC(2026, 2, 1, 12) * 1_000

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tapeline-builds-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
})

const opened = (most_bytes: number) => {
  const settings = { home, ...limits, database: null, keepSnapshots_ms: null, signalSecret: null, speed: 1 }
  const builds = openBuilds(settings, { clock: () => noon, most_bytes })
  onTestFinished(builds.close)
  return builds
}
const pulse = { kind: 'publish', name: 'pulse', asOf: noon } as const

test('a process builds and publishes; it runs on while it is small, and another one follows once it is large', async () => {
  const lake = await openLake(home, limits)
  onTestFinished(lake.close)
  const small = opened(1e12)
  const { pid } = small
  const first = pid()
  const published = await small.build(pulse)
  expect(published).toMatchObject({ asOf: noon, analystsCopy: null })
  expect(published.tables.map(({ name }) => name)).toContain('pm_markets')
  expect(await currentSnapshot(lake.storage, 'pulse')).toBe(published.snapshot)
  await small.build(pulse)
  expect([pid(), first]).toEqual([first, expect.any(Number)])

  const large = opened(1)
  const before = large.pid()
  await large.build(pulse)
  await until(() => large.pid() !== before)
  expect((await large.build(pulse)).asOf).toBe(noon)
  await eventually(() => expect(() => process.kill(before ?? 0, 0)).toThrow('ESRCH'))
})

test('errors keep their kind: a lease of another builder, and a broken home', async () => {
  const builds = opened(1e12)
  const both = await Promise.allSettled([builds.build(pulse), builds.build(pulse)])
  const [refused] = both.filter((one) => one.status === 'rejected')
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(refused?.reason).toBeInstanceOf(LeaseHeld)
  expect(refused?.reason).toMatchObject({
    name: 'LeaseHeld',
    message: /publication pulse: another process works on it/,
  })
  const unknown = builds.build({ kind: 'publishAll', asOf: noon, lakeSnapshot: 999 })
  await expect(unknown).rejects.toThrow('999')
})

test('an aborted build publishes nothing and gives its lease back; a killed process fails its build alone', async () => {
  const lake = await openLake(home, limits)
  onTestFinished(lake.close)
  const builds = opened(1e12)
  const cancelling = new AbortController()
  const aborted = builds.build(pulse, cancelling.signal)
  cancelling.abort()
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' })
  expect(await currentSnapshot(lake.storage, 'pulse')).toBeUndefined()
  await builds.build(pulse)

  const killed = builds.build({ ...pulse, asOf: noon + 1 })
  killed.catch(() => undefined)
  process.kill(builds.pid() ?? 0, 'SIGKILL')
  await expect(killed).rejects.toThrow('the process of builds: ended with SIGKILL')
  // The lease of the dead process runs out.
  const next = await eventually(() => builds.build({ ...pulse, asOf: noon + 2 }), 1_000)
  expect(next.asOf).toBe(noon + 2)
})

test('a close aborts the builds under way and ends the process', async () => {
  const builds = opened(1e12)
  const pid = builds.pid() ?? 0
  const running = builds.build(pulse).catch((error: Error) => error.name)
  await builds.close()
  expect(await running).toBe('AbortError')
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  await expect(builds.build(pulse)).rejects.toMatchObject({ name: 'AbortError' })
})
