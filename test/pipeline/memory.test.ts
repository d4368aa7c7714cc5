import { getEventListeners } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { types } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { within } from '#engine/retry.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import { steppedClock } from '#sim/clock.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { withConnection } from '#storage/duckdb.ts'
import { tinyHost } from '#test/ingest/tiny.ts'

import { ingestAll, openTestPipeline } from './pipeline.ts'

const minute = 60_000_000
const world = createWorld({ seed: 11, scale: 0.02 })

const heldShape = z.object({ databases: z.bigint(), cached: z.bigint(), bytes: z.bigint() })
/** The databases, cached files and memory that an idle instance holds. */
const heldSql = `select (select count(*) from duckdb_databases()) as databases,
  (select count(*) from duckdb_external_file_cache()) as cached,
  (select sum(memory_usage_bytes)::bigint from duckdb_memory()) as bytes`

type Held = z.output<typeof heldShape>

async function heldBy({ read, writer }: Lake): Promise<{ reader: Held[]; writer: Held[] }> {
  const reader = await read(({ query }) => query(heldSql, heldShape))
  const rows = await withConnection(writer, async (connection) =>
    (await connection.runAndReadAll(heldSql)).getRowObjects(),
  )
  return { reader, writer: z.array(heldShape).parse(rows) }
}

/** Blocks that DuckDB keeps for reuse come and go between two looks. */
const spareBytes = 2n ** 20n

test('the memory of DuckDB between two rounds of following does not grow', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-memory-'))
  const clock = steppedClock(world.now)
  const upstream = await serveWorld({ world, clock: clock.now })
  const pipeline = await openTestPipeline(home, upstream, clock.now, { keepRaw: true })
  const { lake, activities } = pipeline
  onTestFinished(async () => {
    await lake.close()
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  })
  const held: Awaited<ReturnType<typeof heldBy>>[] = []
  const round = async (sources: string[]): Promise<void> => {
    await ingestAll(pipeline, clock.now(), sources)
    await pipeline.publish('pulse', clock.now())
    await activities.maintain()
    held.push(await heldBy(lake))
    clock.advance(61 * minute)
  }
  await round(['polymarket_markets', 'polymarket_feed', 'polymarket_odds'])
  for (let n = 0; n < 5; n++) await round(['polymarket_feed', 'polymarket_odds'])
  for (const side of ['reader', 'writer'] as const) {
    const [first, ...later] = held.map((one) => one[side][0])
    for (const { databases, cached, bytes } of later.filter((one) => one !== undefined)) {
      expect({ databases, cached }).toEqual({ databases: first?.databases, cached: 0n })
      expect(bytes).toBeLessThanOrEqual((first?.bytes ?? 0n) + spareBytes)
    }
    expect(later).toHaveLength(5)
  }
})

/** Whatever hangs on a signal: listeners, and those that were joined to it. */
const hangingOn = (signal: AbortSignal): number =>
  getEventListeners(signal, 'abort').length +
  Object.getOwnPropertySymbols(signal)
    .map((key): unknown => Reflect.get(signal, key))
    .reduce<number>((sum, value) => sum + (types.isSet(value) ? value.size : 0), 0)

test('a signal that lives as long as the process keeps nothing of an activity or a request that is over', async () => {
  const { signal } = new AbortController()
  const http = createHttp({
    hosts: { [tinyHost.name]: tinyHost },
    now_ms: () => 0,
    sleep: async () => undefined,
    random: () => 0,
    fetch: async () => new Response('{}'),
    signal,
  })
  const before = hangingOn(signal)
  for (let n = 0; n < 20; n++) {
    await within(() => http({ host: tinyHost.name, path: '/', query: {} }, z.object({})), 1_000, signal)
  }
  expect(hangingOn(signal)).toBe(before)
})
