import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { openAccounts } from '#accounts/accounts.ts'
import { createKey } from '#accounts/keys.ts'
import { startUpstream } from '#bin/demo/upstream.ts'
import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { machineClock } from '#time.ts'

import { get, load, percentile } from './load.ts'

const connections = 20
/** With the connections, some 200 requests a second. */
const pause_ms = 100
const paths = ['/v1/pm-traders?limit=50', '/v1/pm-markets?limit=100', '/v1/pm-traders?sort=pnl&range=all&limit=20']

/** The times of a service in milliseconds, and how many snapshots were published meanwhile. */
type Sample = { p50_ms: number; p99_ms: number; loop_p99_ms: number; n_published: number }

/**
 * Compares the service beside a pipeline that follows a simulated world, scores and publishes, with the service alone
 * on the same home. Both get the same requests at the same rate. Prints both, and returns the line `ratio beside <n>`.
 */
export async function measureBeside(seconds: number): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-beside-'))
  const upstream = await startUpstream({ seed: 1, speed: 60 })
  upstream.run()
  const env = { ...worldSettings(upstream), TAPELINE_HOME: home, TAPELINE_RATE_FACTOR: '1000' }
  const from = new Date(upstream.opensAt / 1_000).toISOString().slice(0, 10)
  try {
    const beside = await measure(['start', '--from', from], { env, home, seconds })
    const alone = await measure(['serve'], { env, home, seconds })
    print('beside a pipeline', beside)
    print('alone', alone)
    return `ratio beside ${(beside.p99_ms / alone.p99_ms).toFixed(2)}`
  } finally {
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  }
}

const print = (name: string, { p50_ms, p99_ms, loop_p99_ms, n_published }: Sample): void =>
  console.log(
    `${name}: p50 ${p50_ms.toFixed(1)} ms, p99 ${p99_ms.toFixed(1)} ms, event-loop delay p99 ` +
      `${loop_p99_ms.toFixed(1)} ms, ${n_published} snapshots published`,
  )

type Settings = { env: Record<string, string>; home: string; seconds: number }

async function measure(args: readonly string[], { env, home, seconds }: Settings): Promise<Sample> {
  const child = spawn(process.execPath, ['bin/tapeline.js', ...args, '--port', '0'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const port = await listeningAt(child)
    await isReady(port)
    const key = await newKey(home)
    const next = (turn: number) => ({ request: get(paths[turn % paths.length] ?? '', key), status: 200 })
    await load(port, { connections, seconds: 2, pause_ms, next })
    // Each reading of the metrics begins a new period of the event loop's delay.
    await loopDelay(port)
    const before = new Set(await snapshotsOf(home))
    const { took_ms } = await load(port, { connections, seconds, pause_ms, next })
    const published = (await snapshotsOf(home)).filter((name) => !before.has(name))
    return {
      p50_ms: percentile(took_ms, 0.5),
      p99_ms: percentile(took_ms, 0.99),
      loop_p99_ms: await loopDelay(port),
      n_published: published.length,
    }
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

/** The port of the line that a command prints once it listens. What it prints later is read too, and ignored. */
const listeningAt = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      const [, port] = /http:\/\/[\d.]+:(\d+)/.exec(String(chunk)) ?? []
      if (port !== undefined) resolve(Number(port))
    })
    child.once('exit', () => reject(new Error('the service: ended early; expected a line with its address')))
  })

async function isReady(port: number): Promise<void> {
  while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) await sleep(500)
}

async function newKey(home: string): Promise<string> {
  const accounts = await openAccounts(join(home, 'accounts.db'))
  const key = await createKey(accounts, { tier: 'enterprise', now: machineClock() })
  await accounts.destroy()
  return key
}

const snapshotsOf = async (home: string): Promise<string[]> =>
  (await readdir(join(home, 'marts'))).filter((name) => name.endsWith('.sha256'))

/** The 99th percentile of the delay of the event loop since the last call, in milliseconds. */
async function loopDelay(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)/m.exec(text)?.[1]) * 1_000
}
