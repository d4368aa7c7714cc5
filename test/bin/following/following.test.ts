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

/** The child of a process that runs a script. The compiler of TypeScript may be another child. */
async function childOf(pid: number, script: string): Promise<{ pid: number; priority: number }> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,ni=,args='])
  for (const line of stdout.split('\n').filter((one) => one.includes(script))) {
    const [own = 0, parent, priority = 0] = line.trim().split(/ +/).map(Number)
    if (parent === pid) return { pid: own, priority }
  }
  throw new Error(`${script}: no child of ${pid}; expected one`)
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
  const first = await childOf(service.pid ?? 0, 'following_process')
  expect(first).toMatchObject({ priority: 10 })
  const building = await childOf(first.pid, 'build_process')
  expect(building).toMatchObject({ priority: 10 })

  process.kill(first.pid, 'SIGKILL')
  await eventually(async () => {
    expect((await fetch(new URL('/healthz', url))).status).toBe(200)
    expect((await childOf(service.pid ?? 0, 'following_process')).pid).not.toBe(first.pid)
  })
  // The builds of the killed process have ended with it.
  await eventually(() => expect(runs(building.pid)).toBe(false))
  await eventually(async () => expect((await fetch(new URL('/readyz', url))).status).toBe(200))
})

test('without the process that serves, the processes that follow and build end', async () => {
  const { service } = await startTapeline()
  const following = await childOf(service.pid ?? 0, 'following_process')
  const building = await childOf(following.pid, 'build_process')
  const both = [following.pid, building.pid]
  expect(both.map(runs)).toEqual([true, true])
  service.kill('SIGKILL')
  await eventually(() => expect(both.map(runs)).toEqual([false, false]))
})
