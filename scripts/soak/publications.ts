import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'

import { startUpstream } from '#bin/demo/upstream.ts'
import { worldSettings } from '#bin/wiring/simulated_hosts.ts'

const run = promisify(execFile)
const options = {
  publications: { type: 'string', default: '200' },
  memory: { type: 'string', default: '500' },
  seed: { type: 'string', default: '1' },
} as const

/** The megabytes that a process may hold beside `TAPELINE_MEMORY`, as docs/running.md states. */
const beside_mb = 1_024
const every_ms = 2_000

/**
 * `npm run soak -- publications [--publications 200] [--memory 500] [--seed 1]`: runs `start` on the demo's world with
 * `TAPELINE_MEMORY` of that many megabytes until it has published so often. It reports the resident memory of the
 * service and of the processes that follow and build, and fails if one exceeds that setting by more than 1,024 MB.
 */
export async function publications(args: readonly string[]): Promise<void> {
  const { publications: most, memory, seed } = parseArgs({ args: [...args], options }).values
  if (!(Number(most) > 0)) throw new Error(`--publications ${most}: no number; expected a number above 0`)
  const limit_mb = Number(memory) + beside_mb
  const home = await mkdtemp(join(tmpdir(), 'tapeline-publications-'))
  const upstream = await startUpstream({ seed: Number(seed), speed: 60 })
  upstream.run()
  const from = new Date(upstream.opensAt / 1_000).toISOString().slice(0, 10)
  const child = spawn(process.execPath, ['bin/tapeline.js', 'start', '--port', '0', '--from', from], {
    env: { ...process.env, ...worldSettings(upstream), TAPELINE_HOME: home, TAPELINE_MEMORY: `${memory}MB` },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const largest = await watch(child.pid ?? 0, join(home, 'marts'), Number(most))
    for (const [name, mb] of Object.entries(largest)) {
      console.log(`largest ${name}: ${mb} MB; limit ${limit_mb} MB`)
      if (mb > limit_mb) throw new Error(`resident memory of the ${name}: ${mb} MB; expected at most ${limit_mb} MB`)
    }
  } finally {
    child.kill('SIGTERM')
    await ended
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  }
}

type Held = { service: number; following: number; builds: number }

/** The largest resident memory of the processes, in megabytes, until so many snapshots were published. */
async function watch(pid: number, marts: string, most: number): Promise<Held> {
  const seen = new Set<string>()
  let largest: Held = { service: 0, following: 0, builds: 0 }
  let reported = 0
  while (seen.size < most) {
    await sleep(every_ms)
    for (const name of await readdir(marts).catch(() => [])) if (name.endsWith('.duckdb')) seen.add(name)
    const now = await heldBy(pid)
    if (hasEnded(pid)) throw new Error(`start: ended early; expected ${most} publications`)
    largest = {
      service: Math.max(largest.service, now.service),
      following: Math.max(largest.following, now.following),
      builds: Math.max(largest.builds, now.builds),
    }
    if (seen.size < reported + 10) continue
    reported = seen.size
    console.log(
      `${seen.size} publications: service ${now.service} MB, following ${now.following} MB, builds ${now.builds} MB`,
    )
  }
  return largest
}

const hasEnded = (pid: number): boolean => {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}

/** The resident memory of the children of a `start`, each by its command; 0 while it starts again. */
async function heldBy(pid: number): Promise<Held> {
  const { stdout } = await run('ps', ['-A', '-o', 'ppid=,rss=,args='])
  const lines = stdout.split('\n').map((line) => line.trim().split(/ +/))
  const mb = (command: string): number => {
    const own = lines.find(([parent, , ...args]) => Number(parent) === pid && args.includes(command))
    return Math.round(Number(own?.[1] ?? 0) / 1_024)
  }
  return { service: mb('serve'), following: mb('follow'), builds: mb('publish') }
}
