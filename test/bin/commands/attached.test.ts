import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { until } from '#test/run/eventually.ts'

const world = createWorld({ seed: 9, scale: 0.01 })

/** A command in a process of its own, with what it wrote. */
type Tapeline = { child: ChildProcess; out: () => string; err: () => string; code: Promise<unknown> }

describe('a second command of a home', () => {
  let root: string
  let upstream: ServedWorld
  let proxy: Server
  /** The requests for the trades of markets. */
  const asked: string[] = []
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const begun: ChildProcess[] = []

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-attached-'))
    upstream = await serveWorld({ world, clock: () => Date.now() * 1000 })
    proxy = createServer((message, response) => {
      const forward = (): void => {
        const onward = request(`${upstream.hosts['polymarket_data']}${message.url}`, { headers: message.headers })
        onward.on('response', (given) => {
          response.writeHead(given.statusCode ?? 500, given.headers)
          given.pipe(response)
        })
        onward.end()
      }
      if (message.url?.includes('/trades') !== true) return forward()
      asked.push(message.url)
      void released.then(forward)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
  })
  afterAll(async () => {
    for (const child of begun) child.kill('SIGKILL')
    proxy.closeAllConnections()
    proxy.close()
    await upstream.close()
    // The process that follows for a killed `start` ends by itself, and writes until then.
    await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  })

  const tapeline = (home: string, ...args: string[]): Tapeline => {
    const hosts = { ...upstream.hosts, polymarket_data: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
    const env = { ...process.env, ...worldSettings({ ...upstream, hosts }), TAPELINE_HOME: join(root, home) }
    const child = spawn(process.execPath, ['bin/tapeline.js', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    begun.push(child)
    let [out, err] = ['', '']
    child.stdout.on('data', (data: Buffer) => (out += data.toString()))
    child.stderr.on('data', (data: Buffer) => (err += data.toString()))
    return { child, out: () => out, err: () => err, code: once(child, 'close').then(([code]: unknown[]) => code) }
  }

  const isFollowing = async (home: string): Promise<boolean> => {
    const status = tapeline(home, 'status')
    await status.code
    return status.out().includes('requested')
  }

  it('attaches to the backfill of the first: it shows it, reads nothing itself, and ends as it does', async () => {
    const command = ['backfill', 'polymarket_markets', 'polymarket_trades', '--from', '2026-07-01']
    const first = tapeline('backfill', ...command)
    await until(() => asked.length > 0)
    const [second, left, other] = [
      tapeline('backfill', ...command),
      tapeline('backfill', ...command),
      tapeline('backfill', 'backfill', 'polymarket_trades', '--from', '2026-08-01'),
    ]
    expect(await other.code, other.err()).toBe(1)
    expect(other.err()).toContain('backfill-polymarket_trades: already running over another interval or other units')
    const shown = 'backfill-polymarket_trades: already running, until '
    await until(() => second.err().includes(shown) && left.err().includes(shown))
    left.child.kill('SIGINT')
    expect(await left.code).toBe(130)
    expect(left.err()).toContain('backfill-polymarket_trades still runs')
    release()
    expect(await first.code, first.err()).toBe(0)
    expect(await second.code, second.err()).toBe(0)
    const units = /polymarket_trades: ([\d,]+) of \1 units/
    expect([first, second].map(({ err }) => units.exec(err())?.[1])).toEqual([
      expect.stringMatching(/^\d/),
      units.exec(first.err())?.[1],
    ])
    expect(new Set(asked).size).toBe(asked.length)
  })

  it('attaches to the follow of the first until that ends, and ^C ends only its view', async () => {
    release()
    const first = tapeline('follow', 'follow', '--from', '2026-07-01')
    await until(() => isFollowing('follow'))
    const [second, left] = [tapeline('follow', 'follow', '--from', '2026-08-01'), tapeline('follow', 'follow')]
    const shown = 'another process of this home runs it; ^C ends only this view'
    await until(() => second.err().includes(shown) && left.err().includes(shown))
    expect(second.err()).toContain('--from: ignored')
    left.child.kill('SIGINT')
    expect(await left.code).toBe(0)
    expect([first.child.exitCode, second.child.exitCode]).toEqual([null, null])
    first.child.kill('SIGINT')
    expect(await first.code, first.err()).toBe(0)
    expect(await second.code, second.err()).toBe(0)
    expect(second.err()).toContain('requested: the other process has ended it')
  })

  it('start says where the first listens, and shows its runs until it ends', async () => {
    const first = tapeline('start', 'start', '--port', '0')
    await until(async () => first.out().includes('serving ') && (await isFollowing('start')))
    const [second, follow] = [tapeline('start', 'start'), tapeline('start', 'follow')]
    await until(() => second.err().includes('start: another process') && follow.err().includes('requested: another'))
    expect(second.out()).toBe(`already ${first.out()}`)
    first.child.kill('SIGKILL')
    expect(await second.code, second.err()).toBe(1)
    expect(second.err()).toContain('start: the process that ran it was killed')
    follow.child.kill('SIGINT')
    await follow.code
  })
})
