import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { eventually } from '#test/run/eventually.ts'

const run = promisify(execFile)
const world = createWorld({ seed: 9, scale: 0.01 })

/** `tapeline start` on a small world, once it serves. */
async function startTapeline(): Promise<{ url: string; service: ChildProcess }> {
  const upstream = await serveWorld({ world, clock: () => Date.now() * 1000 })
  const home = await mkdtemp(join(tmpdir(), 'tapeline-following-'))
  const service = spawn(process.execPath, ['bin/tapeline.js', 'start', '--port', '0', '--from', '2026-07-01'], {
    env: { ...process.env, ...worldSettings(upstream), TAPELINE_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(service, 'exit')
  onTestFinished(async () => {
    service.kill('SIGTERM')
    await ended
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  })
  const [line] = await once(service.stdout, 'data')
  return { url: String(line).slice('serving '.length).trim(), service }
}

/** The children of a process. */
async function childrenOf(pid: number | undefined): Promise<{ pid: number; priority: number }[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,ni='])
  const rows = stdout.split('\n').map((line) => line.trim().split(/ +/).map(Number))
  return rows
    .filter(([, parent]) => parent === pid)
    .map(([own = 0, , nice = 0]) => ({ pid: own, priority: nice }))
    .filter((child) => child.pid > 0)
}

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the process that follows has a lower priority; killed, another takes its place while the API answers', async () => {
  const { url, service } = await startTapeline()
  const [first] = await childrenOf(service.pid)
  expect(first).toMatchObject({ priority: 10 })
  const builders = await childrenOf(first?.pid)
  expect(builders).toMatchObject([{ priority: 10 }])

  process.kill(first?.pid ?? 0, 'SIGKILL')
  await eventually(async () => {
    expect((await fetch(new URL('/healthz', url))).status).toBe(200)
    const [second] = await childrenOf(service.pid)
    expect(second?.pid).toBeGreaterThan(0)
    expect(second?.pid).not.toBe(first?.pid)
  })
  // The builds of the killed process have ended with it.
  await eventually(() => expect(builders.map(({ pid }) => runs(pid))).toEqual([false]))
  await eventually(async () => expect((await fetch(new URL('/readyz', url))).status).toBe(200))
})

test('without the process that serves, the processes that follow and build end', async () => {
  const { service } = await startTapeline()
  const [following] = await childrenOf(service.pid)
  const [building] = await childrenOf(following?.pid)
  const both = [following, building].map((one) => one?.pid ?? 0)
  expect(both.map(runs)).toEqual([true, true])
  service.kill('SIGKILL')
  await eventually(() => expect(both.map(runs)).toEqual([false, false]))
})
