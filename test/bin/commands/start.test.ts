import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import type { Market } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { runMain } from '#test/bin/run_main.ts'

const run = promisify(execFile)
const tapeline = 'bin/tapeline.js'
const world = createWorld({ seed: 9, scale: 0.02 })
/**
 * The number of listed markets. A market without a price is left out of the list: one that was never resolved, and one
 * that has closed by now and is resolved later.
 */
const nPriced = (): number => {
  const at_s = Date.now() / 1_000
  const isPriced = ({ payouts, closedAt_s, resolvedAt_s }: Market): boolean =>
    payouts !== null && (closedAt_s > at_s || resolvedAt_s <= at_s)
  return world.markets.filter(isPriced).length
}

describe('the commands, as a person runs them', () => {
  let upstream: ServedWorld
  let home: string
  let env: NodeJS.ProcessEnv

  beforeAll(async () => {
    // The commands live in the machine's time, by which most of this world has happened.
    upstream = await serveWorld({ world, clock: () => Date.now() * 1000 })
    home = await mkdtemp(join(tmpdir(), 'tapeline-start-'))
    env = {
      ...process.env,
      TAPELINE_HOME: home,
      ...worldSettings(upstream),
    }
  })
  afterAll(async () => {
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  })

  it('follow, score and serve; a key created since then works; a requested account is read', async () => {
    const service = spawn(process.execPath, [tapeline, 'start', '--port', '0', '--from', '2026-07-01'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(service, 'exit')
    try {
      const [line] = await once(service.stdout, 'data')
      const url = /^serving (http:\S+)\/v1\n$/.exec(String(line))?.[1]
      const { stdout: key } = await run(process.execPath, [tapeline, 'key', 'create', '--tier', 'pro'], { env })
      expect(key).toMatch(/^tl_live_[0-9A-Za-z]{36}\n$/)
      const ask = (path: string) => fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${key.trim()}` } })

      // The first pulses may be older than the last of the markets, and each is older than a market that closes now.
      await until(
        () => ask('/pm-markets?status=all'),
        async (response) => {
          const listed: unknown = response.status === 200 ? await response.json() : []
          return Array.isArray(listed) && listed.length === nPriced()
        },
      )
      // The first request for a trader with few fills is pending; a later one is complete.
      const wallet = world.traders.find(({ archetype }) => archetype === 'unproven')?.wallet ?? ''
      expect((await ask(`/pm-wallet?address=${wallet}`)).headers.get('x-coverage')).toBe('pending')
      const pulled = await until(
        () => ask(`/pm-wallet?address=${wallet}`),
        async (response) => response.headers.get('x-coverage') !== 'pending',
      )
      expect(pulled.headers.get('x-coverage')).toBe('complete')
    } finally {
      service.kill('SIGTERM')
      await ended
    }
    const [code] = await ended
    expect(code).toBe(0)

    const { stdout } = await run(process.execPath, [tapeline, 'status', '--json'], { env })
    const status = JSON.parse(stdout)
    expect(status.world).toBe(String(world.seed))
    expect(status.sources.map(({ source }: { source: string }) => source)).toContain('polymarket_activity')
    expect(await readFile(join(home, 'tapeline.duckdb'))).not.toHaveLength(0)
  })

  it('refuse to mix the real world into a simulated lake', async () => {
    const args = ['backfill', 'polymarket_trades', '--from', '2026-07-01']
    const rejected = await runMain(args, { TAPELINE_HOME: home })
    expect(rejected).toMatchObject({ code: 1, err: expect.stringMatching(/never mixed/) as string })
  })
})

/** Asks again until the answer is as wished; each try waits a little longer, for a minute and a half in all. */
async function until(
  ask: () => Promise<Response>,
  isRight: (response: Response) => Promise<boolean>,
): Promise<Response> {
  for (let wait_ms = 100; ; wait_ms = Math.min(wait_ms * 1.5, 3_000)) {
    const response = await ask()
    if (await isRight(response)) return response
    await sleep(wait_ms)
  }
}
