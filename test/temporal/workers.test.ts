import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'

import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { openLake } from '#lake/lake.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { until } from '#test/run/eventually.ts'
import { freePort } from '#test/run/free_port.ts'

import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'

const world = createWorld({ seed: 9, scale: 0.02 })

/** A command in a process of its own, with what it wrote on standard error. */
type Tapeline = { child: ChildProcess; err: () => string; code: Promise<unknown> }

describeOnTemporal('workers in processes of their own', () => {
  let root: string
  let server: TemporalServer
  let upstream: ServedWorld
  let proxy: Server
  const begun: ChildProcess[] = []
  /** The requests for the trades of markets, in their order. */
  const asked: string[] = []
  /** Delays the answer to a request for trades. */
  let hold: (nth: number) => Promise<void> = async () => undefined

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-workers-'))
    server = await startTemporal()
    upstream = await serveWorld({ world, clock: () => Date.now() * 1000 })
    proxy = createServer((message, response) => {
      const isOfTrades = message.url?.includes('/trades') === true
      if (isOfTrades) asked.push(message.url ?? '')
      const answer = async (): Promise<void> => {
        if (isOfTrades) await hold(asked.length)
        const { method, headers } = message
        const target = `${upstream.hosts['polymarket_data']}${message.url}`
        const forwarded = request(target, { method, headers }, (given) => {
          response.writeHead(given.statusCode ?? 500, given.headers)
          given.pipe(response)
        })
        message.pipe(forwarded)
      }
      void answer()
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
  })
  afterAll(async () => {
    for (const child of begun) child.kill('SIGKILL')
    proxy.closeAllConnections()
    proxy.close()
    await upstream.close()
    await server.stop()
    await rm(root, { recursive: true, force: true })
  })

  const tapeline = (home: string, args: readonly string[], more: Record<string, string> = {}): Tapeline => {
    const hosts = { ...upstream.hosts, polymarket_data: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
    const env = {
      ...process.env,
      ...worldSettings({ ...upstream, hosts }),
      TAPELINE_HOME: join(root, home),
      TAPELINE_CONCURRENCY: '1',
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_TASK_QUEUE: 'shared',
      ...more,
    }
    const child = spawn(process.execPath, ['bin/tapeline.js', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    begun.push(child)
    let err = ''
    child.stderr.on('data', (data: Buffer) => (err += data.toString()))
    return { child, err: () => err, code: once(child, 'close').then(([code, signal]: unknown[]) => code ?? signal) }
  }

  const unitsOf = async (home: string): Promise<number> => {
    const lake = await openLake(join(root, home), { threads: 1, memory: '500MB' })
    const rows = await lake.catalog.db.selectFrom('tapeline_coverage').select('unit').distinct().execute()
    await lake.close()
    return rows.length
  }

  it('of another home are refused, so that nothing is split; a command says that it waits for a worker', async () => {
    const backfill = tapeline('one', [
      'backfill',
      'polymarket_markets',
      'polymarket_resolutions',
      '--from',
      '2026-07-01',
    ])
    await until(() => backfill.err().includes('task queue shared: no worker serves it, and its runs wait; expected'))
    const metrics = `127.0.0.1:${await freePort()}`
    const first = tapeline('one', ['worker'], { TAPELINE_WORKER_METRICS: metrics, TAPELINE_LOG_UNITS: 'json' })
    const other = tapeline('other', ['worker'])
    expect(await other.code, other.err()).toBe(2)
    expect(other.err()).toMatch(/TEMPORAL_TASK_QUEUE shared: belongs to the lake \S+, and this home holds the lake/)
    expect(other.err()).not.toContain('serving')
    expect(await backfill.code, backfill.err()).toBe(0)
    expect(backfill.err()).toMatch(/polymarket_resolutions: ([\d,]+) of \1 units/)
    expect(await unitsOf('one')).toBeGreaterThan(20)
    expect(await unitsOf('other')).toBe(0)
    const exposed = await (await fetch(`http://${metrics}/metrics`)).text()
    expect(exposed).toMatch(/^temporal_activity_execution_latency_count\{.*activity_type="pull"/m)
    first.child.kill('SIGTERM')
    expect(await first.code, first.err()).toBe(0)
    const lines = first.err().trimEnd().split('\n')
    const logged = lines.map((line) => z.looseObject({ level: z.number(), time: z.number() }).parse(JSON.parse(line)))
    expect(logged.some(({ msg }) => String(msg).startsWith('serving shared, shared-score of '))).toBe(true)
    expect(logged.filter(({ unit }) => unit !== undefined).length).toBeGreaterThan(20)

    const connection = await Connection.connect({ address: server.address })
    const { workflow } = new Client({ connection })
    const { memo } = await workflow.getHandle('shared/backfill-polymarket_markets').describe()
    expect(memo).toMatchObject({ source: 'polymarket_markets', part: 'polymarket', from: '2026-07-01 00:00:00.000000' })
    const found: string[] = []
    const query = `TapelineSource = 'polymarket_resolutions' and TapelinePart = 'polymarket'`
    for await (const { workflowId } of workflow.list({ query })) found.push(workflowId)
    expect(new Set(found)).toEqual(new Set(['shared/backfill-polymarket_resolutions']))
    await connection.close()
  })

  it('finish the units in flight at the first signal, and leave the others to the next worker', async () => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let n_held = 0
    hold = async (nth) => {
      if (nth < 8) return
      n_held += 1
      await released
    }
    const backfill = tapeline('one', ['backfill', 'polymarket_trades', '--from', '2026-07-01'])
    const first = tapeline('one', ['worker'])
    // Two batches of one unit at a time.
    await until(() => n_held === 2)
    first.child.kill('SIGTERM')
    await until(() => first.err().includes('draining: the units in flight have 8 s'))
    const before = asked.length
    release()
    expect(await first.code, first.err()).toBe(0)
    const drained = asked.slice(before)
    const next = tapeline('one', ['worker'])
    expect(await backfill.code, backfill.err()).toBe(0)
    // No unit that the first worker read is read again: not the units in flight, and none before them.
    const own = new Set(asked.slice(0, before))
    expect(asked.slice(before + drained.length).filter((url) => own.has(url))).toEqual([])
    expect(new Set(asked).size).toBe(asked.length)
    next.child.kill('SIGTERM')
    expect(await next.code, next.err()).toBe(0)
  })

  it('have two batches each in flight, and a second command of the same backfill attaches to the first', async () => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let n_held = 0
    hold = async () => {
      n_held += 1
      await released
    }
    const workers = [tapeline('one', ['worker']), tapeline('one', ['worker'])]
    await untilKnown(2)
    // All trades are three batches of one unit at a time.
    const command = ['backfill', 'polymarket_trades', '--from', '2026-07-01', '--refresh']
    const first = tapeline('one', command)
    await until(() => n_held === 3)
    const second = tapeline('one', command)
    await until(() => second.err().includes('backfill-polymarket_trades: already running, until '))
    release()
    expect([await first.code, await second.code], second.err()).toEqual([0, 0])
    for (const { err } of [first, second]) expect(err()).toMatch(/polymarket_trades: ([\d,]+) of \1 units/)
    for (const { child } of workers) child.kill('SIGTERM')
    for (const { code, err } of workers) expect(await code, err()).toBe(0)
  })

  /** Waits until there are so many workers, and each has renewed its lease since the last of them came. */
  const untilKnown = async (n: number): Promise<void> => {
    const lake = await openLake(join(root, 'one'), { threads: 1, memory: '500MB' })
    const all = lake.catalog.db
      .selectFrom('tapeline_leases')
      .select('expires_ms')
      .where('name', 'like', 'member workers %')
    const expiries = async () => (await all.execute()).map(({ expires_ms }) => expires_ms)
    await until(async () => (await expiries()).length === n)
    const last_ms = Math.max(...(await expiries()))
    await until(async () => (await expiries()).every((expires_ms) => expires_ms > last_ms))
    await lake.close()
  }
})
