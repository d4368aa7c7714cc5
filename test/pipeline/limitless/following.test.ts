import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { startWorkflow } from '#engine/embedded_workflow.ts'
import { exposedWorld } from '#sim/markets/limitless_wire/exposed_world.ts'
import { truth } from '#sim/markets/true_ledger.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { openTestPipeline } from '#test/pipeline/pipeline.ts'
import { sized } from '#test/run/sized.ts'
import { DAY, HOUR } from '#time.ts'
import { backfill } from '#workflows/backfill.ts'

import { expectedOf } from './expected.ts'
import { trueMarkets } from './read.ts'

const world = createWorld({ seed: 6, scale: 0.01 })
const limitless = exposedWorld(createWorld({ seed: 2_000_008, scale: 0.02 }))
const sources = [
  'limitless_markets',
  'limitless_trades',
  'limitless_activity',
  'limitless_resolutions',
  'limitless_odds',
]
const walletShape = z.object({ address: z.string(), pnl: z.number(), win_rate: z.number(), n_markets: z.number() })
const marketShape = z.object({ id: z.string(), price: z.number(), volume: z.number() })

test('a Limitless that is followed for days has the truth as of the last reading, however it was found', async () => {
  let at = limitless.now - sized(3, 3, 6) * DAY
  const upstream = await serveWorld({ world, others: { limitless }, clock: () => at })
  const home = await mkdtemp(join(tmpdir(), 'tapeline-limitless-followed-'))
  const { lake, activities } = await openTestPipeline(home, upstream, () => at)
  onTestFinished(async () => {
    await lake.close()
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  })
  /** A round of the follow: each source reads its due units. */
  const round = async (): Promise<void> => {
    for (const source of sources) {
      const request = { source, from: limitless.now - 40 * DAY, to: at, keys: [], includeOpen: true }
      const { failures } = await startWorkflow(backfill, { args: [request], activities }).result
      expect(failures).toEqual([])
    }
  }
  for (; at < limitless.now; at += 12 * HOUR) await round()
  // Fills as maker are in no list of the venue. A day later every account that traded lately has been read again.
  at += DAY + HOUR
  await round()
  await round()

  await activities.publishAll({ asOf: null })
  const instance = await DuckDBInstance.create(join(home, 'tapeline.duckdb'), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const select = async <T>(sql: string, shape: z.ZodType<T>): Promise<T[]> =>
    z.array(shape).parse((await connection.runAndReadAll(sql)).getRowObjectsJson())
  const wallets = await select(
    `select address, total_pnl::double as pnl, win_rate::double as win_rate, markets_traded as n_markets
     from marts.pm_wallet where is_complete order by address`,
    walletShape,
  )
  const known = truth(limitless, at)
  expect(wallets.length).toBeGreaterThan(15)
  expect(wallets).toEqual(
    wallets.map(({ address }) => ({
      address,
      ...expectedOf(known.get(address), 'all'),
      n_markets: known.get(address)?.markets_traded,
    })),
  )
  const markets = await select(
    'select id, yes_price::double as price, volume_24h::double as volume from marts.pm_markets where is_open order by id',
    marketShape,
  )
  const expected = trueMarkets({ ...limitless, now: at })
  expect(markets.length).toBeGreaterThan(3)
  for (const { id, price, volume } of markets) {
    expect([id, volume]).toEqual([id, expected.get(id)?.volume])
    expect(price).toBeCloseTo(expected.get(id)?.price ?? price, 6)
  }
  connection.closeSync()
  instance.closeSync()
})
