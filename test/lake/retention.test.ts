import { expect, test } from 'vitest'
import { z } from 'zod'

import { ingestUnits } from '#ingest/batch.ts'
import { plan } from '#ingest/plan.ts'
import { reparse } from '#ingest/reparse.ts'
import type { PlannedSource } from '#ingest/source.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { expireUnits } from '#lake/retention.ts'
import { listRaw } from '#lake/units/raw_responses.ts'
import type { Unit } from '#lake/units/unit.ts'
import { noNetwork, tinyHost, tinyHttp, tinySource, unitOf } from '#test/ingest/tiny.ts'
import type { Micros } from '#time.ts'

import { mergeAll } from './compaction/merge_all.ts'
import { market, newLake, noon, quote } from './fixture.ts'

const day: Micros = 86_400_000_000
const hour = day / 24
const begin = noon - (noon % day)
const unitAt = (n: number): Unit => unitOf('', { kind: 'hour', from: begin + n * hour, to: begin + (n + 1) * hour })

/** Hours with a quote, a market, an answer and a row that does not parse; quotes are to be kept for 30 days. */
const source: PlannedSource = tinySource({
  unit: 'hour',
  plan: async () => [0, 1, 2].map(unitAt),
  read: async ({ from }, { get }) => {
    await get({ host: tinyHost.name, path: '/quotes', query: { key: 'text' } }, z.unknown())
    const rows = { quotes: [quote('m', from)], markets: [market('m', { seen_at: from })] }
    return { rows, rejected: [{ dataset: 'quotes', reason: 'x', body: 'text' }], state: 'complete' }
  },
})

const retained = [{ dataset: { ...datasets.quotes, retention_s: 30 * 86_400 }, sources: [source.name] }]

async function filled(): Promise<Lake> {
  const lake = await newLake()
  const { http } = tinyHttp({ text: [] })
  await ingestUnits({ lake, http, keepRaw: true, concurrency: 1 }, () => source, [0, 1, 2].map(unitAt), begin + day)
  return lake
}

const seen = (lake: Lake) =>
  lake.read(async ({ query }) => {
    const at = z.object({ ts: z.date().transform((date) => date.getUTCHours()) })
    const quotes = await query('select ts from lake.quotes order by ts', at)
    const rejected = await query('select unit from lake.quarantine order by unit', z.object({ unit: z.string() }))
    const coverage = await query(
      `select state, n_rows::int as n_rows, reason, from_at as ts from lake.coverage where dataset = 'quotes' order by unit`,
      at.extend({ state: z.string(), n_rows: z.number(), reason: z.string().nullable() }),
    )
    const [markets] = await query('select count(*)::int as n from lake.markets', z.object({ n: z.number() }))
    return {
      quotes: quotes.map(({ ts }) => ts),
      rejected: rejected.map(({ unit }) => Number(unit.slice(-2))),
      coverage: coverage.map(({ ts, state, n_rows, reason }) => [ts, state, n_rows, reason]),
      markets: markets?.n,
    }
  })

const unparsed = '1 row did not parse'
const kept = 'rows are kept for 30 days'
/** Two of three hours ended 30 days ago. */
const now = begin + 2 * hour + 30 * day
const expired = {
  quotes: [2],
  rejected: [2],
  coverage: [
    [0, 'expired', 0, kept],
    [1, 'expired', 0, kept],
    [2, 'quarantined', 1, unparsed],
  ],
  markets: 3,
}

test('rows that are older than their dataset is kept go, with their responses and what did not parse', async () => {
  const lake = await filled()
  expect(await expireUnits(lake, { retained, now: begin + 30 * day })).toBe(0)
  expect((await seen(lake)).quotes).toEqual([0, 1, 2])
  expect(await expireUnits(lake, { retained, now })).toBe(2)
  expect(await seen(lake)).toEqual(expired)
  expect(await listRaw(lake, source.name)).toEqual(['raw/venue_quotes/venue/2026-11-20T02.ndjson.zst'])
  expect(await expireUnits(lake, { retained, now })).toBe(0)
})

test('rows that were joined into a larger file go too', async () => {
  const lake = await filled()
  expect((await mergeAll(lake)).n_files).toBe(9)
  await expireUnits(lake, { retained, now })
  expect(await seen(lake)).toEqual(expired)
})

test('nothing brings them back: neither a reparse nor a backfill', async () => {
  const lake = await filled()
  await expireUnits(lake, { retained, now })
  expect(await reparse(lake, source, () => undefined)).toMatchObject({ units: 1, failed: [] })
  expect(await seen(lake)).toEqual(expired)
  const request = { source: source.name, at: now + day, from: 0, to: now, keys: [] }
  const { units } = await lake.read((reader) => plan(source, request, { lake: reader, get: noNetwork }))
  expect(units.map(({ from }) => from)).toEqual([unitAt(2).from])
})
