import { rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

import { openEngine } from '#bin/wiring/engine.ts'
import type { Engine } from '#engine/engine.ts'
import { serveFake, type FakeUpstream } from '#test/ingest/planted/requests/fake_upstream.ts'
import { heldQuotes, quotesOf } from '#test/ingest/planted/requests/held_quotes.ts'
import { begin, HOUR } from '#test/ingest/planted/requests/planted_rows.ts'
import { newHome, newLake } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { SECOND } from '#time.ts'
import { follow } from '#workflows/follow.ts'

import { configOf } from './support/engines.ts'
import type { PlantedSettings } from './support/planted/open_planted.ts'
import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'
import { startProcess, type WorkerProcess } from './support/workers.ts'

const sources = ['planted_pages', 'planted_calls']
/** The upstream never answers for the hour before. */
const from = begin + 7 * HOUR
/** A kill comes after so many requests: pages are read first, and an hour of calls takes two or more. */
const kills = sized([20], [20], [3, 9, 14, 20, 26])

describeOnTemporal('pages and calls with a key, whose worker processes are killed', () => {
  let server: TemporalServer
  let upstream: FakeUpstream
  let engine: Engine
  beforeAll(async () => {
    upstream = await serveFake()
    server = await startTemporal()
    engine = await openEngine(configOf({ home: tmpdir(), upstream, address: server.address }))
  })
  afterAll(async () => {
    await engine.close()
    await server.stop()
    await upstream.close()
  })

  it('are followed hour by hour to exactly the rows of the upstream', async () => {
    const home = await newHome()
    const clock = join(home, 'clock')
    let now = from
    const advance = async (span: number): Promise<void> => {
      now += span
      await writeFile(`${clock}.next`, String(now))
      await rename(`${clock}.next`, clock)
    }
    const hire = async (): Promise<WorkerProcess> => {
      const { hosts, worldName } = upstream
      const settings: PlantedSettings = { home, upstream: { hosts, worldName }, n_chains: 1, clock }
      const args = [server.address, JSON.stringify(settings)]
      const worker = await startProcess('test/temporal/support/planted/worker.ts', args)
      onTestFinished(worker.kill)
      return worker
    }
    const lake = await newLake({ home })
    const held = (): Promise<unknown[][]> => Promise.all(sources.map((source) => heldQuotes(lake, source)))
    /** The rows of all hours that have begun, as far as the clock. */
    const shown = (): unknown[][] => {
      const hours = Array.from({ length: Math.ceil((now - from) / HOUR) }, (_, n) => from / SECOND + n * 3600)
      return sources.map((source) => quotesOf(source, hours).filter(({ ts }) => ts < now))
    }
    const expectStored = async (): Promise<void> => expect(await held()).toEqual(shown())

    await advance(25 * 60 * SECOND)
    let worker = await hire()
    const request = { group: 'planted', part: 'planted', sources, from }
    const run = await engine.start(follow, { id: 'follow-planted-planted', args: [request] })
    await eventually(expectStored, 500)
    for (const n_requests of kills) {
      // An open hour grows, and is closed after the next hour has begun.
      await advance(40 * 60 * SECOND)
      await eventually(expectStored, 500)
      const midway = upstream.seen(n_requests)
      await advance(8 * HOUR)
      await midway
      await worker.kill()
      expect((await held()).flat().length).toBeLessThan(shown().flat().length)
      worker = await hire()
      await eventually(expectStored, 500)
    }
    await run.cancel()
    await expect(run.result()).rejects.toThrow(/cancell?ed/i)
    await expectStored()
  })
})
