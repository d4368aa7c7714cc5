import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

import { openEngine } from '#bin/wiring/engine.ts'
import type { Engine, Run } from '#engine/engine.ts'
import { heldBy, seqsOf, storedSeqs, truthOf, upTo } from '#test/ingest/planted/held_rows.ts'
import { chainName } from '#test/ingest/planted/planted_logs.ts'
import { heldQuotes, quotesOf } from '#test/ingest/planted/requests/held_quotes.ts'
import { begin, HOUR } from '#test/ingest/planted/requests/planted_rows.ts'
import { newHome, newLake, noon } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { machineClock, SECOND } from '#time.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'
import { follow } from '#workflows/follow.ts'

import { configOf } from './support/engines.ts'
import { imageOf } from './support/lakes.ts'
import { openPlanted } from './support/planted/open_planted.ts'
import { servePlanted, type PlantedServers } from './support/planted/serve_planted.ts'
import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'
import { startProcess, type WorkerProcess } from './support/workers.ts'

const n_chains = sized(8, 10, 120)
const hours = upTo(10).map((n) => begin / SECOND + n * 3600)
const to = begin + 10 * HOUR
/** A call of the seventh hour is answered by an error. */
const known = hours.filter((_, n) => n !== 6)
/** No event of the stream is later than the clock of the workers. */
const ahead = noon + 1_000 * HOUR - machineClock()

const start = (engine: Engine, source: string): Promise<Run<Progress>> =>
  engine.start(backfill, { id: `backfill-${source}`, args: [{ source, from: begin, to, keys: [] }] })

/** Backfills the sources of blocks and requests, one after the other. */
async function backfillAll(engine: Engine): Promise<void> {
  const failed: number[] = []
  for (const source of ['planted_logs', 'planted_pages', 'planted_calls'])
    failed.push((await (await start(engine, source)).result()).failed)
  expect(failed).toEqual([0, 0, 1])
}

describeOnTemporal('planted sources whose worker processes are killed', () => {
  let server: TemporalServer
  let servers: PlantedServers
  let engine: Engine
  beforeAll(async () => {
    servers = await servePlanted({ n_chains, n_blocks: 70 })
    server = await startTemporal()
    engine = await openEngine(configOf({ home: tmpdir(), upstream: servers.upstream, address: server.address }))
  })
  afterAll(async () => {
    await engine.close()
    await server.stop()
    await servers.close()
  })

  /** Starts a worker, which ends with the test at the latest. */
  async function hire(home: string): Promise<WorkerProcess> {
    const settings = JSON.stringify({ home, upstream: servers.upstream, n_chains, ahead })
    const worker = await startProcess('test/temporal/support/planted/worker.ts', [server.address, settings])
    onTestFinished(worker.kill)
    return worker
  }

  it('leave the lake of the embedded engine after a backfill, and after another one of reorganized chains', async () => {
    const { rpc, requests, upstream } = servers
    const home = await newHome()
    const embedded = await openPlanted({ home: await newHome(), upstream, n_chains, ahead, address: undefined })
    onTestFinished(embedded.close)
    const lake = await newLake({ home })
    const expectSame = async (): Promise<void> => {
      expect(await heldBy(lake)).toEqual(truthOf(rpc, upTo(n_chains)))
      expect(await heldQuotes(lake, 'planted_pages')).toEqual(quotesOf('planted_pages', hours))
      expect(await heldQuotes(lake, 'planted_calls')).toEqual(quotesOf('planted_calls', known))
      expect(await imageOf(home)).toEqual(await imageOf(embedded.config.home))
    }
    const first = await hire(home)
    const logs = await start(engine, 'planted_logs')
    // A chain takes more than 18 requests, and a worker reads eight units at once.
    while (rpc.n_requests() < 10 * n_chains) await sleep(2)
    await first.kill()
    const stored = (await heldBy(lake)).blocks.length
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(70 * n_chains)
    const next = await hire(home)
    // The calls alone take more than 20 requests.
    const midway = requests.seen(20)
    const [pages, calls] = [await start(engine, 'planted_pages'), await start(engine, 'planted_calls')]
    await midway
    await next.kill()
    await hire(home)
    expect(await logs.result()).toMatchObject({ failed: 0, units: 3 * n_chains })
    expect(await pages.result()).toMatchObject({ failed: 0, units: 10 })
    expect(await calls.result()).toMatchObject({ failed: 1, units: 9 })
    await backfillAll(embedded.engine)
    await expectSame()

    // Some blocks are replaced across the edge of two units.
    for (const chain of upTo(n_chains)) if (chain % 3 === 0) rpc.reorg(chain, 11 - (chain % 5))
    rpc.grow(10)
    await backfillAll(engine)
    await backfillAll(embedded.engine)
    await expectSame()
  })

  it('store what reorganized chains and a stream have while they are followed', async () => {
    const { rpc, stream } = servers
    const home = await newHome()
    const lake = await newLake({ home })
    const worker = await hire(home)
    const chains = upTo(3)
    const request = { group: 'planted', from: 0 }
    const requests = [
      ...chains.map((chain) => ({ ...request, part: chainName(chain), sources: ['planted_logs'] })),
      { ...request, part: 'feed', sources: ['planted_stream'], isStream: true as const },
    ]
    const runs: Run<never>[] = []
    for (const of of requests) runs.push(await engine.start(follow, { id: `follow-${of.part}`, args: [of] }))
    // A stream is followed from its first stored event on.
    while ((await storedSeqs(lake)).length === 0) {
      stream.emit(1, SECOND)
      await sleep(100)
    }
    const [begun = 0] = await storedSeqs(lake)
    const expectStored = async (): Promise<void> => {
      expect(await heldBy(lake)).toEqual(truthOf(rpc, chains))
      expect(await storedSeqs(lake)).toEqual(seqsOf(stream).filter((seq) => seq >= begun))
    }
    for (const round of upTo(sized(3, 3, 4))) {
      for (const chain of chains) rpc.reorg(chain, 1 + ((4 * chain + 3 * round) % 11))
      rpc.grow(3)
      stream.emit(30, 60 * SECOND)
      if (round === 2) {
        await worker.kill()
        rpc.reorg(0, 11)
        stream.emit(30, 60 * SECOND)
        await hire(home)
      }
      await eventually(expectStored, 500)
    }
    for (const run of runs) await run.cancel()
    for (const run of runs) await expect(run.result()).rejects.toThrow(/cancell?ed/i)
    await expectStored()
  })
})
