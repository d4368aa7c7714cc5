import { readFile } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { startService } from '#test/api/service.ts'
import { newHome } from '#test/lake/fixture.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'

import { filesEntered } from './entered.ts'

/** The names of files that a comment of a file lists, on lines with a label. */
const listedIn = async (path: string): Promise<string[]> => {
  const text = await readFile(path, 'utf8')
  const [, list = ''] = /The files that .*, each once:\n \*\n((?: \* {3}.*\n)+)/.exec(text) ?? []
  return list.match(/[\w/]+\.ts/g) ?? []
}

/** The paths of listed names: a name is the end of one path. */
const pathsOf = (names: readonly string[], entered: readonly string[]): string[] =>
  names.map((name) => {
    const paths = entered.filter((path) => `/${path}`.endsWith(`/${name}`))
    expect([name, paths]).toEqual([name, [expect.any(String)]])
    return paths[0] ?? ''
  })

/** Files of the product, without the simulated upstreams. */
const ofProduct = (files: readonly string[]): string[] => files.filter((path) => !/^(?:sim|test)\//.test(path))

test('a GET of a list that no cache has enters the 15 files that the front lists, and these besides', async () => {
  const service = await startService({ cache_bytes: 1 })
  const entered = ofProduct(
    await filesEntered(async () => {
      expect((await service.ask('/v1/pm-traders?sort=pnl')).status).toBe(200)
    }),
  )
  await service.stop()
  const listed = pathsOf(await listedIn('api/http/front.ts'), entered)
  expect(listed).toHaveLength(15)
  expect(new Set(listed).size).toBe(15)
  expect(entered.filter((path) => !listed.includes(path))).toEqual([
    'accounts/tiers.ts',
    'accounts/visitors.ts',
    'api/contract/define.ts',
    'api/contract/format.ts',
    'snapshots/publications.ts',
    'storage/duckdb.ts',
    'time.ts',
  ])
})

test('the plan, reading and commit of a unit enter the 20 files that the way of a unit lists, and these besides', async () => {
  const world = createWorld({ seed: 7, scale: 0.02 })
  const clock = () => world.now
  const upstream = await serveWorld({ world, clock })
  const { lake, activities } = await openTestPipeline(await newHome(), upstream, clock, { concurrency: 1 })
  await ingestAll({ lake, activities, publish: () => Promise.reject(new Error('not asked')), served: [] }, world.now, [
    'polymarket_markets',
  ])
  let after = ''
  const entered = ofProduct(
    await filesEntered(async () => {
      const due = { source: 'polymarket_trades', from: 0, to: world.now, keys: [], at: world.now }
      const { units, last } = await activities.plan({ ...due, after, limit: 1 })
      after = last
      expect(await activities.pull({ units, at: world.now, rate: null })).toMatchObject({ units: 1, failed: 0 })
    }),
  )
  await lake.close()
  await upstream.close()
  const listed = pathsOf(await listedIn('ingest/unit.ts'), entered)
  expect(listed).toHaveLength(20)
  expect(new Set(listed).size).toBe(20)
  expect(entered.filter((path) => !listed.includes(path))).toEqual([
    'activities/index.ts',
    'ingest/batch.ts',
    'ingest/followed_rounds.ts',
    'ingest/heartbeat.ts',
    'ingest/http/host.ts',
    'ingest/http/replay.ts',
    'ingest/http/request.ts',
    'ingest/http/response.ts',
    'ingest/http/secrets.ts',
    'ingest/memory_limit.ts',
    'ingest/parse/decimals.ts',
    'ingest/parse/ids.ts',
    'ingest/parse/rows.ts',
    'ingest/parse/timestamps.ts',
    'ingest/requested_keys.ts',
    'ingest/setting.ts',
    'ingest/stored_rows.ts',
    'ingest/units.ts',
    'ingest/watermark.ts',
    'lake/catalog/catalog.ts',
    'lake/catalog/coverage_rows.ts',
    'lake/catalog/database.ts',
    'lake/catalog/follows.ts',
    'lake/columns.ts',
    'lake/datasets/index.ts',
    'lake/lake.ts',
    'lake/sql.ts',
    'lake/units/column_batch.ts',
    'lake/units/spilled_bodies.ts',
    'lake/units/stored_unit.ts',
    'lake/units/turns.ts',
    'lake/units/unit.ts',
    'lake/units/write_few.ts',
    'lake/units/write_parquet.ts',
    'registry/chains/address_kind.ts',
    'sources/markets/fills.ts',
    'sources/markets/polymarket/wire/ids.ts',
    'sources/markets/polymarket/wire/trade_rows.ts',
    'sources/markets/polymarket/wire/types.ts',
    'storage/disk_space.ts',
    'storage/folder.ts',
    'time.ts',
  ])
})
