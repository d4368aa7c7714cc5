import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { unitOf } from '#ingest/units.ts'
import { openLake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { currentSnapshot } from '#snapshots/snapshot.ts'
import { openFolder } from '#storage/folder.ts'
import { freePort } from '#test/run/free_port.ts'
import { commandLines } from '#test/run/processes.ts'
import { machineClock } from '#time.ts'

/**
 * The seconds until a process of `tapeline start` works again after `kill -9`: `npm run bench -- restart [--rounds 3]`.
 * `serve` works when it answers, `follow` when it sends a request, `publish` when facts that were stored after the kill
 * are published. Each is killed in the middle of its work. `ratio <process>` is the longest of its times by the time of
 * the first start, from the command to the first answer.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
/** `follow` comes first, while it reads the past of the world: later it sends requests once a minute. */
const processes = ['follow', 'serve', 'publish'] as const
type ProcessName = (typeof processes)[number]

const upstream = await serveWorld({ world: createWorld({ seed: 9, scale: 0.3 }), clock: machineClock })
const home = await mkdtemp(join(tmpdir(), 'tapeline-restart-'))
const port = await freePort()

async function secondsUntil(isReady: () => Promise<boolean>): Promise<number> {
  const begun_ms = performance.now()
  while (!(await isReady())) await sleep(20)
  return (performance.now() - begun_ms) / 1_000
}

const answers = (path: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Stores a unit without rows, which makes a pulse due. */
async function storeNothing(): Promise<void> {
  const lake = await openLake(home, { threads: 1, memory: '256MB' })
  const at = machineClock()
  const unit = unitOf(
    { name: 'polymarket_trades', unit: 'observation', part: 'restart' },
    { from: at, to: at + 1, params: [] },
  )
  const contents = { rows: {}, rejected: [], precedence: 1, state: 'done', to: at + 1 } as const
  await storeUnit(lake, unit, { ...contents, asked: [], checkedAt: at })
  await lake.close()
}

const works: Record<ProcessName, () => Promise<() => Promise<boolean>>> = {
  serve: async () => () => answers('/healthz'),
  follow: async () => {
    const before = upstream.requests().total
    return async () => upstream.requests().total > before
  },
  publish: async () => {
    await storeNothing()
    const before = await currentSnapshot(openFolder(home), 'pulse')
    return async () => (await currentSnapshot(openFolder(home), 'pulse')) !== before
  },
}

/** The next process to kill works again: `follow` reads the past, the others have run for the ten seconds of a start. */
const settled: Record<ProcessName, () => Promise<unknown>> = {
  serve: () => sleep(12_000),
  publish: () => sleep(12_000),
  follow: () => {
    const before = upstream.requests().total
    return secondsUntil(async () => upstream.requests().total > before + 50)
  },
}

const args = ['bin/tapeline.js', 'start', '--port', String(port), '--from', '2026-01-01']
const env = { ...process.env, ...worldSettings(upstream), TAPELINE_HOME: home }
const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
const ended = once(child, 'exit')
try {
  const first_s = await secondsUntil(() => answers('/healthz'))
  console.log(`start: ${first_s.toFixed(1)} s to the first answer`)
  await settled.follow()
  for (const name of processes) {
    if (name !== 'follow') await secondsUntil(() => answers('/readyz'))
    const times: number[] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      const running = (await commandLines()).find(
        ({ ppid, args: line }) => ppid === child.pid && line.includes(` ${name} `),
      )
      if (running === undefined) throw new Error(`${name}: no process; expected one of tapeline start`)
      if (name === 'publish') await storeNothing()
      process.kill(running.pid, 'SIGKILL')
      times.push(await secondsUntil(await works[name]()))
      await settled[name]()
    }
    const longest_s = Math.max(...times)
    console.log(`${name}: ${times.map((time) => time.toFixed(1)).join(', ')} s after kill -9`)
    console.log(`ratio ${name} ${(longest_s / first_s).toFixed(2)}`)
  }
} finally {
  child.kill('SIGTERM')
  await ended
  await upstream.close()
  await rm(home, { recursive: true, force: true })
}
