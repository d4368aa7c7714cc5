import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { sourceStates } from '#bin/report/source_health.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { snapshotPath } from '#snapshots/snapshot.ts'
import { imageOf } from '#test/temporal/support/lakes.ts'

import { hashesOf, ingestAll, openTestPipeline, type TestHouse } from './pipeline.ts'

const world = createWorld({ seed: 3, scale: 0.02 })
const clock = (): number => world.now

/** The sources of trades and their prerequisites. */
const traded = ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades']

const fillsShape = z.object({ n: z.number(), hashes: z.string() })
type Scored = { hashes: Record<string, string>; wallets: string[]; fills: z.output<typeof fillsShape> }

describe('an upstream that misbehaves', () => {
  let root: string
  /** The result of an upstream without faults. */
  let calm: Awaited<ReturnType<typeof read<Scored>>>
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-faults-'))
    calm = await read('calm', {}, score)
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  /** Reads the world through a server with these settings into a lake of its own. */
  const read = async <T>(
    name: string,
    settings: Omit<Parameters<typeof serveWorld>[0], 'world' | 'clock'>,
    look: (pipeline: TestHouse) => Promise<T>,
    sources?: string[],
  ) => {
    const upstream = await serveWorld({ world, clock, ...settings })
    const home = join(root, name)
    const pipeline = await openTestPipeline(home, upstream, clock)
    try {
      await ingestAll(pipeline, world.now, sources)
      // A build reads nothing else, and `rebuild.test.ts` compares its hashes.
      const stored = await imageOf(home)
      return { looked: await look(pipeline), stored, requests: upstream.requests() }
    } finally {
      await pipeline.lake.close()
      await upstream.close()
    }
  }
  /** The hashes of the marts, and what every profile says of results. */
  const score = async ({ activities, lake }: TestHouse): Promise<Scored> => {
    const published = await activities.publishAll({ asOf: null })
    const { snapshot } = published
    const instance = await DuckDBInstance.create(lake.local.locate(snapshotPath(snapshot)), {
      access_mode: 'READ_ONLY',
    })
    const connection = await instance.connect()
    const rows = await connection.runAndReadAll(
      `select address, total_pnl, win_rate, markets_traded, n_closed, n_won, is_complete, unlisted_reason, untracked
       from marts.pm_wallet order by address`,
    )
    connection.closeSync()
    instance.closeSync()
    const sql = `select count(*)::integer as n, bit_xor(hash(f))::varchar as hashes from lake.fills f
      where source = 'polymarket_trades'`
    const [fills = { n: 0, hashes: '' }] = await lake.read(({ query }) => query(sql, fillsShape))
    return { hashes: hashesOf(published), wallets: rows.getRowsJson().map((row) => JSON.stringify(row)), fills }
  }

  it('leaves no trace in the lake when one request in five fails', async () => {
    const rough = await read('rough', { faults: { seed: 1, requests: 0.2, delay_ms: 5 } }, async () => undefined)
    const failed = Object.entries(rough.requests.byStatus).filter(([status]) => Number(status) >= 400)
    expect(failed.length).toBeGreaterThan(1)
    expect(rough.stored).toEqual(calm.stored)
  })

  it('gives the same fills and wallets through the old data API', async () => {
    const v1 = await read('v1', { dataApi: 'v1' }, score)
    // The old API has no feed of resolutions. The order book's list gives the winner; the first redemption gives the
    // instant. Results do not depend on that instant. The end of the prices does, and with it the traits.
    expect(v1.looked.wallets.length).toBeGreaterThan(30)
    expect(v1.looked.wallets).toEqual(calm.looked.wallets)
    expect(v1.looked.fills.n).toBeGreaterThan(0)
    expect(v1.looked.fills).toEqual(calm.looked.fills)
  })

  it('quarantines rows that do not parse, and is called failing above one in a hundred', async () => {
    const states = async ({ lake }: TestHouse) =>
      new Map((await sourceStates(lake, world.now)).map((state) => [state.source, state]))
    const few = await read('few', { faults: { seed: 2, rows: 0.002 } }, states, traded)
    const many = await read('many', { faults: { seed: 2, rows: 0.05 } }, states, traded)
    const trades = { few: few.looked.get('polymarket_trades'), many: many.looked.get('polymarket_trades') }
    expect(trades.few?.quarantined).toBeGreaterThan(0)
    expect(trades.few?.is_failing).toBe(false)
    expect(trades.many?.is_failing).toBe(true)
    expect(trades.many?.refused_share).toBeGreaterThan(0.03)
    expect(trades.many?.refused_share).toBeLessThan(0.08)
  })
})
