import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { openLake } from '#lake/lake.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { currentSnapshot } from '#snapshots/snapshot.ts'
import { openFolder } from '#storage/folder.ts'
import { fillColumns, trueFills } from '#test/pipeline/tape.ts'
import { eventually } from '#test/run/eventually.ts'
import { freePort } from '#test/run/free_port.ts'
import { commandLines } from '#test/run/processes.ts'

const world = createWorld({ seed: 9, scale: 0.02 })
const parts = ['follow', 'publish', 'serve'] as const
type PartName = (typeof parts)[number]

describe('follow, publish and serve', () => {
  let upstream: ServedWorld
  let home: string
  let port: number

  beforeAll(async () => {
    // The commands live in the machine's time, by which most of this world has happened.
    upstream = await serveWorld({ world, clock: () => Date.now() * 1000 })
  })
  afterAll(() => upstream.close())
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'tapeline-processes-'))
    port = await freePort()
    onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }))
  })

  const argsOf: Record<PartName | 'start', () => string[]> = {
    follow: () => ['follow', '--from', '2026-01-01'],
    publish: () => ['publish', '--scores-every', '2'],
    serve: () => ['serve', '--port', String(port)],
    start: () => ['start', '--port', String(port), '--from', '2026-01-01'],
  }

  /** Runs a command until the end of the test. */
  function run(name: PartName | 'start'): { child: ChildProcess; ended: Promise<unknown[]> } {
    const child = spawn(process.execPath, ['bin/tapeline.js', ...argsOf[name]()], {
      env: { ...process.env, ...worldSettings(upstream), TAPELINE_HOME: home },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const ended = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGTERM')
      await ended
    })
    return { child, ended }
  }

  const answer = (path: string): Promise<number> =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => 0,
    )

  /** Asks the API again and again, until `stop`, which returns the answers that were no success. */
  function watchApi() {
    const refused: number[] = []
    let [isOver, n_asked] = [false, 0]
    const asking = (async () => {
      while (!isOver) {
        const status = await answer('/healthz')
        n_asked += 1
        if (status !== 200) refused.push(status)
        await sleep(50)
      }
    })()
    return {
      n_asked: () => n_asked,
      stop: async () => {
        isOver = true
        await asking
        return refused
      },
    }
  }

  /** Waits until the lake has the true trades of all markets, none lost and none doubled. */
  async function untilWhole(): Promise<void> {
    const isMarket = (fill: number): boolean => (world.matches.market[world.fills.match[fill] ?? 0] ?? -1) >= 0
    const expected = trueFills(world, isMarket, true)
    const lake = await openLake(home, { threads: 1, memory: '512MB' })
    try {
      await eventually(async () => {
        const stored = await lake.read(({ query }) =>
          query(
            `select concat_ws(' ', ${fillColumns}, role) as text from lake.fills where source = 'polymarket_trades'`,
            z.object({ text: z.string() }),
          ),
        )
        expect(stored.length).toBe(expected.length)
        expect(stored.map(({ text }) => text).toSorted()).toEqual(expected)
      }, 500)
    } finally {
      await lake.close()
    }
  }

  test('each runs alone, and together they are the whole', async () => {
    const serving = run('serve')
    await eventually(async () => expect([await answer('/healthz'), await answer('/readyz')]).toEqual([200, 503]))
    const publishing = run('publish')
    await eventually(async () => expect(await answer('/readyz')).toBe(200))
    publishing.child.kill('SIGTERM')
    expect(await publishing.ended).toEqual([0, null])
    const before = await currentSnapshot(openFolder(home), 'pulse')

    const following = run('follow')
    await untilWhole()
    following.child.kill('SIGTERM')
    expect(await following.ended).toEqual([0, null])
    expect(await currentSnapshot(openFolder(home), 'pulse')).toBe(before)

    run('publish')
    await eventually(async () => expect(await currentSnapshot(openFolder(home), 'pulse')).not.toBe(before))
    serving.child.kill('SIGTERM')
    expect(await serving.ended).toEqual([0, null])
  })

  test('under start, each that is killed comes back while the API answers, and the lake is whole', async () => {
    const { child, ended } = run('start')
    const pidOf = async (name: PartName): Promise<number> => {
      const own = (await commandLines()).find(({ ppid, args }) => ppid === child.pid && args.includes(` ${name} `))
      if (own === undefined) throw new Error(`${name}: no process; expected one`)
      return own.pid
    }
    await eventually(async () => expect(await answer('/healthz')).toBe(200))
    const api = watchApi()
    const kill = async (name: PartName): Promise<void> => {
      const pid = await eventually(() => pidOf(name))
      process.kill(pid, 'SIGKILL')
      await eventually(async () => expect(await pidOf(name)).not.toBe(pid))
      const n_asked = api.n_asked()
      await eventually(() => expect(api.n_asked()).toBeGreaterThan(n_asked + 2))
    }
    const first = upstream.requests().total
    for (const n_requests of [5, 40]) {
      await eventually(() => expect(upstream.requests().total).toBeGreaterThan(first + n_requests))
      for (const name of ['follow', 'publish'] as const) await kill(name)
    }
    expect(await api.stop()).toEqual([])

    process.kill(await pidOf('serve'), 'SIGKILL')
    await eventually(async () => expect(await answer('/healthz')).toBe(200))
    await untilWhole()
    await eventually(async () => expect(await answer('/readyz')).toBe(200))

    const all = await Promise.all(parts.map(pidOf))
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect((await commandLines()).filter(({ pid }) => all.includes(pid))).toEqual([])
  })

  test('without start, which was killed, the others end; a second start takes over', async () => {
    const { child, ended } = run('start')
    const isOfHome = async (): Promise<number[]> =>
      (await commandLines()).filter(({ ppid }) => ppid === child.pid).map(({ pid }) => pid)
    await eventually(async () => expect(await isOfHome()).toHaveLength(3))
    await eventually(async () => expect(await answer('/healthz')).toBe(200))
    const before = await isOfHome()
    child.kill('SIGKILL')
    await ended
    await eventually(async () => expect((await commandLines()).filter(({ pid }) => before.includes(pid))).toEqual([]))
    run('start')
    await eventually(async () => expect(await answer('/healthz')).toBe(200))
  })
})
