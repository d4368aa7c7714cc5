import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openEngine } from '#bin/wiring/engine.ts'
import type { Engine } from '#engine/engine.ts'
import { hostUrls } from '#sim/markets/polymarket_wire/hosts.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { backfill } from '#workflows/backfill.ts'

import { configOf, openWorking } from './support/engines.ts'
import { coverageOf } from './support/lakes.ts'
import { tapWorld, type Tap } from './support/proxy.ts'
import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'
import { startWorker, type WorkerProcess } from './support/workers.ts'

const world = createWorld({ seed: 8, scale: 0.02 })
const source = 'polymarket_trades'
const request = { source, from: 0, to: world.now, keys: [] }

describeOnTemporal('a worker that is killed in the middle of a batch', () => {
  let server: TemporalServer
  let upstream: ServedWorld
  let tap: Tap
  let home: string
  let engine: Engine
  const workers: WorkerProcess[] = []
  beforeAll(async () => {
    server = await startTemporal()
    upstream = await serveWorld({ world, clock: () => world.now })
    tap = await tapWorld(upstream.url, { n_markets: 10 })
    home = await mkdtemp(join(tmpdir(), 'tapeline-heartbeat-'))
    const working = await openWorking({ home, upstream, clock: () => world.now, address: undefined })
    const markets = { ...request, source: 'polymarket_markets' }
    await (await working.engine.start(backfill, { id: 'markets', args: [markets] })).result()
    await working.close()
    engine = await openEngine(configOf({ home, upstream, address: server.address }))
  })
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()))
    await engine.close()
    await tap.close()
    await upstream.close()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  })

  /** The markets that are stored. */
  const stored = async (): Promise<string[]> =>
    Object.values(await coverageOf(home))
      .flat()
      .filter((entry) => entry['source'] === source && entry['state'] !== 'missing')
      .map((entry) => String(entry['key']))

  it('hands on what it had done: the next one asks for the rest alone', async () => {
    const settings = {
      home,
      address: server.address,
      upstream: { ...upstream, hosts: hostUrls(tap.url) },
      at: world.now,
    }
    // A batch has 25 markets, so none ends before the kill, however late that comes.
    const first = await startWorker(settings)
    workers.push(first)
    const run = await engine.start(backfill, { id: 'trades', args: [request] })
    while ((await stored()).length < 5) await sleep(50)
    await heardOf(server, 'tapeline/trades')
    await first.kill()
    // A last heartbeat may have come with the kill.
    const done = await heardOf(server, 'tapeline/trades')
    expect(done.length).toBeGreaterThan(0)
    const before = tap.asked.length
    tap.release()
    workers.push(await startWorker(settings))
    const state = await run.result()
    expect(state).toMatchObject({ failed: 0, units: state.due })
    const askedAgain = tap.asked.slice(before).join('\n')
    for (const market of done) expect(askedAgain).not.toContain(market)
    // The units under way are read again, and so are all remaining units.
    const left = (await stored()).filter((market) => !done.includes(market))
    expect(left.length).toBeGreaterThan(0)
    for (const market of left) expect(askedAgain).toContain(market)
  })
})

/** The markets reported as done to the server, by the heartbeats of the activities that run. */
async function heardOf({ address }: TemporalServer, workflowId: string): Promise<string[]> {
  const connection = await Connection.connect({ address })
  try {
    const client = new Client({ connection })
    for (;;) {
      const { raw } = await client.workflow.getHandle(workflowId).describe()
      const beats = (raw.pendingActivities ?? []).flatMap(({ heartbeatDetails }) => heartbeatDetails?.payloads ?? [])
      const text = beats.map(({ data }) => Buffer.from(data ?? []).toString()).join('\n')
      const markets = text.match(/0x[0-9a-f]{62,64}/g) ?? []
      if (markets.length > 0) return markets
      await sleep(100)
    }
  } finally {
    await connection.close()
  }
}
