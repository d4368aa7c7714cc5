import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, expect, test, vi } from 'vitest'

import { exposeSources, keepWatching } from '#bin/report/source_metrics.ts'
import { noteRounds } from '#lake/catalog/follows.ts'
import { diskUse } from '#lake/disk_use.ts'
import type { Lake } from '#lake/lake.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { until } from '#test/run/eventually.ts'

const counts = {
  requests: 7,
  bytes: 700,
  retries: 2,
  throttled: 1,
  fault: null,
  answers: new Map([
    [
      'venue',
      new Map([
        [200, 6],
        [403, 1],
      ]),
    ],
  ]),
}

afterEach(() => void vi.useRealTimers())

test('an update that takes longer than the interval takes the place of the next ones', async () => {
  vi.useFakeTimers()
  const waiting: (() => void)[] = []
  const read = (): Promise<never[]> => new Promise((resolve) => waiting.push(() => resolve([])))
  const log = pino({ level: 'silent' })
  const end = keepWatching({ lake: { read } as unknown as Lake, counts }, { show: exposeSources(new Registry()), log })
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(waiting).toHaveLength(1)
  waiting[0]?.()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(waiting).toHaveLength(2)
  let isEnded = false
  const ended = end().then(() => (isEnded = true))
  await vi.advanceTimersByTimeAsync(60_000)
  expect([waiting.length, isEnded]).toEqual([2, false])
  waiting[1]?.()
  await ended
})

test('sources have their freshness and their lag, and upstreams the counts of their requests', async () => {
  const lake = await newLake()
  const rows = { quotes: [quote('0xa', noon)], markets: [] }
  await storeRows(lake, lifeOf('0xa'), rows, { to: noon, checkedAt: noon + 20_000_000 })
  const failing = {
    source: 'venue_quotes',
    part: 'venue',
    every_s: 60,
    reached: 1,
    failed_rounds: 4,
    fault: 'no route',
  }
  await noteRounds(lake.catalog, [failing], Date.now() - 600_000)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const registry = new Registry()
  const log = pino({ level: 'silent' })
  const end = keepWatching({ lake, counts, clock: () => noon + 90_000_000 }, { show: exposeSources(registry), log })
  await vi.advanceTimersByTimeAsync(15_000)
  const valueOf = async (name: string): Promise<string | undefined> =>
    (await registry.metrics())
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.replace(/^.* /, '')
  await until(async () => (await valueOf('tapeline_source_failing')) !== undefined)
  expect(await valueOf('tapeline_source_lag_seconds{source="venue_quotes"}')).toBe('90')
  expect(await valueOf('tapeline_source_read_seconds{source="venue_quotes"}')).toBe(`${noon / 1_000_000 + 20}`)
  expect(await valueOf('tapeline_source_reaches_seconds{source="venue_quotes"}')).toBe(`${noon / 1_000_000}`)
  const totals = ['requests', 'bytes', 'retries', 'throttled'].map((name) => `tapeline_upstream_${name}_total`)
  expect(await Promise.all(totals.map(valueOf))).toEqual(['7', '700', '2', '1'])
  expect(await valueOf('tapeline_upstream_answers_total{host="venue",status="403"}')).toBe('1')
  expect(await valueOf('tapeline_source_late{source="venue_quotes",part="venue"}')).toBe('1')
  const [stored] = await diskUse(lake.catalog, noon)
  expect(stored?.bytes).toBeGreaterThan(0)
  expect(await valueOf('tapeline_source_bytes{source="venue_quotes",files="current"}')).toBe(String(stored?.bytes))
  expect(await valueOf('tapeline_source_bytes{source="venue_quotes",files="replaced"}')).toBe('0')
  expect(await valueOf('tapeline_source_failed_rounds{source="venue_quotes",part="venue"}')).toBe('4')
  counts.requests = 8
  await vi.advanceTimersByTimeAsync(15_000)
  await until(async () => (await valueOf('tapeline_upstream_requests_total')) === '8')
  await end()
})

test('a state that no unit has any more, and an instant that a source has no more, leave the metrics', async () => {
  const registry = new Registry()
  const show = exposeSources(registry)
  const state = {
    source: 'venue_quotes',
    rows: 1,
    quarantined: 0,
    read_at: null,
    rows_read: 1,
    refused_share: 0,
    is_failing: false,
    refused_readings: 0,
    reasons: [],
  }
  const open = { ...state, units: { missing: 3 }, reaches: '2026-11-20T13:05:00.000Z', lag_s: 90 }
  show({ states: [open], disk: [], freshness: [], counts })
  show({ states: [{ ...state, units: { done: 3 }, reaches: null, lag_s: null }], disk: [], freshness: [], counts })
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('tapeline_source_'))
  expect(lines.filter((line) => /_(?:units|lag_seconds|reaches_seconds)\{/.test(line))).toEqual([
    'tapeline_source_units{source="venue_quotes",state="done"} 3',
  ])
})
