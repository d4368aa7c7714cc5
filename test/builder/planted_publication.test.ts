import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { defineRead } from '#api/contract/define.ts'
import { startPublishing } from '#bin/wiring/publish_plan.ts'
import { parseModel } from '#builder/load.ts'
import { publish, publishAll } from '#builder/publish.ts'
import type { Engine } from '#engine/engine.ts'
import { openMarts } from '#snapshots/marts.ts'
import { publications, type Publication, type PublicationName } from '#snapshots/publications.ts'
import { currentSnapshot, publicationOf, snapshotPath } from '#snapshots/snapshot.ts'
import { startService } from '#test/api/service.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

import { ask, models } from './fixture.ts'

/** The line that adds a publication. */
const hourly = {
  name: 'hourly',
  every_s: 3_600,
  stale_s: 3_600,
  follows: null,
  keep_s: 30 * 60,
  materializes: false,
  block_bytes: 16_384,
  group_rows: 122_880,
}
const name = hourly.name as PublicationName
const table = publications as unknown as Publication[]

beforeAll(() => void table.push(hourly))
afterAll(() => void table.splice(table.indexOf(hourly), 1))

const minute = 60_000_000

const newSettings = () => {
  const clock = { at: noon }
  const asks = parseModel(
    'marts',
    'counts',
    `-- The number of quotes.
-- publication: hourly
-- columns: market_id; n_quotes
select market_id, count(*) as n_quotes from staging.seen group by market_id`,
  )
  const settings = { models: [...models, asks], macros: [], columns: {}, asOf: noon, threads: 1, memory: '512MB' }
  return { clock, settings: { ...settings, now: () => clock.at } }
}

const lakeWithQuotes = async () => {
  const lake = await newLake()
  await storeRows(lake, lifeOf('0xa'), { quotes: Array.from({ length: 10 }, (_, i) => quote(`m${i % 5}`, noon - i)) })
  return lake
}

test('one line adds a publication: it is built, published, read, copied for analysts and swept', async () => {
  const lake = await lakeWithQuotes()
  const { clock, settings } = newSettings()
  const first = await publish(lake, name, settings)
  expect([first.publication, publicationOf(first.id), first.analystsCopy]).toEqual(['hourly', 'hourly', null])
  expect(first.tables.map((one) => one.name)).toEqual(['counts'])
  const marts = `select table_name from duckdb_tables() where schema_name = 'marts'`
  expect(await ask(lake.local.locate(snapshotPath(first.id)), marts)).toEqual([['counts']])

  const all = await publishAll(lake, settings)
  expect(Object.keys(all.snapshots).toSorted()).toEqual(['hourly', 'pulse', 'scores'])
  expect(all.tables.map((one) => one.name)).toEqual(['bids', 'counts', 'now'])
  expect(await currentSnapshot(lake.local, name)).toBe(all.snapshots[name])

  const served = await openMarts({ dir: lake.local.locate('marts'), now: settings.now, poll_ms: 60_000 })
  expect(served.fault()).toBeNull()
  expect(await served.current(name)?.query('select sum(n_quotes)::integer as n from marts.counts')).toEqual([{ n: 10 }])
  const whole = served.current('pulse', name, 'scores')
  expect(whole?.publications).toEqual(['pulse', 'hourly', 'scores'])
  expect(await whole?.query('select count(*) as n from marts.counts join marts.now using (market_id)')).toEqual([
    { n: 5 },
  ])
  expect(served.at(whole?.id ?? '')).toBe(whole)
  await served.close()

  const copy = 'select name, publication from meta.build order by name'
  expect(await ask(lake.local.locate('tapeline.duckdb'), copy)).toEqual([
    ['bids', 'scores'],
    ['counts', 'hourly'],
    ['now', 'pulse'],
  ])
  expect(await ask(lake.local.locate('tapeline.duckdb'), 'select count(*) from marts.counts')).toEqual([['5']])

  const filesOf = async () =>
    (await lake.storage.list('marts')).filter((path) => /hourly-.*\.duckdb$/.test(path)).length
  for (let n = 0; n < 3; n++) {
    clock.at += 20 * minute
    await publish(lake, name, settings)
  }
  // The current one, and those that were replaced in the last 30 minutes.
  expect(await filesOf()).toBe(3)
})

test('the service reports it, and an endpoint reads it', async () => {
  const endpoint = defineRead({
    path: '/signals',
    summary: 'A planted read',
    doc: 'The time of the data.',
    reads: [name],
    query: {},
    item: z.strictObject({ id: z.string() }).meta({ id: 'PlantedHourly' }),
    example: { id: 'hourly-first' },
    headers: {},
    read: async (_query, { snapshot }) => ({ body: { id: snapshot.id }, headers: [] }),
  })
  const service = await startService({ endpoints: [endpoint] })
  expect((await service.ask('/v1/signals')).json).toEqual({ id: 'hourly-first' })
  expect((await service.ask('/readyz')).json['hourly']).toMatchObject({ snapshot: 'hourly-first' })
  expect((await service.ask('/metrics')).text).toContain('tapeline_snapshot_age_seconds{publication="hourly"}')
  await service.stop()
})

test('until it is published the service is not ready, and names it', async () => {
  const service = await startService({ isEmpty: true })
  for (const one of ['pulse', 'scores'] as const) await service.publish('a', {}, one)
  const { status, json } = await service.ask('/readyz')
  expect([status, json['message']]).toEqual([503, expect.stringContaining('no snapshot of hourly')])
  await service.stop()
})

test('it has a run of its own, by its own period', async () => {
  const started: Record<string, unknown> = {}
  const engine = {
    start: async (_workflow: unknown, { id, args, queue }: { id: string; args: unknown; queue: string }) => {
      started[id] = { args, queue }
      return { id, isOld: false }
    },
  }
  await startPublishing(engine as unknown as Engine, 15_000)
  expect(started).toEqual({
    'publish-scores': { args: [{ name: 'scores', every_ms: 15_000 }], queue: 'score' },
    'publish-pulse': { args: [{ name: 'pulse' }], queue: 'score' },
    'publish-hourly': { args: [{ name: 'hourly' }], queue: 'score' },
  })
})
