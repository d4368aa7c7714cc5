import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { pino } from 'pino'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { observeRequests } from '#api/http/metrics.ts'
import { exposeBuilds } from '#bin/report/build_metrics.ts'
import { watchDisk } from '#bin/report/disk_watch.ts'
import { watchFolders } from '#bin/report/folder_metrics.ts'
import { freshnessOf } from '#bin/report/freshness.ts'
import { readMetricsFiles } from '#bin/report/metrics_files.ts'
import type { SourceState } from '#bin/report/source_health.ts'
import { exposeSources } from '#bin/report/source_metrics.ts'
import { createHttp, newCounts } from '#ingest/http/http.ts'
import type { Marts } from '#snapshots/marts.ts'
import { judgeSpace } from '#storage/disk_space.ts'

import { evaluate, metricNames } from './promql.ts'
import { alertRules, firing } from './rules.ts'
import { parseMetrics, type Scrape } from './scrape.ts'

const begin_ms = Date.parse('2026-11-20T12:00:00Z')
const minute_ms = 60_000
const log = pino({ level: 'silent' })

const healthy: SourceState = {
  source: 'venue_trades',
  units: { done: 9 },
  rows: 100,
  quarantined: 0,
  reaches: '2026-11-20T12:00:00.000Z',
  lag_s: 5,
  read_at: '2026-11-20T12:00:00.000Z',
  rows_read: 100,
  refused_share: 0,
  is_failing: false,
  refused_readings: 0,
  reasons: [],
}

/** The parts of an installation whose metrics are those of the product, and what may go wrong with it. */
function installation(home: string) {
  const registry = new Registry()
  const state = {
    now_ms: begin_ms,
    read_ms: begin_ms,
    published_ms: begin_ms,
    free_bytes: 1e12,
    isDamaged: false,
    isUp: 1,
    source: healthy,
  }
  const counts = newCounts()
  const show = exposeSources(registry)
  const build = exposeBuilds(registry)
  onTestFinished(watchDisk({ registry, log }, async () => judgeSpace(state.free_bytes)))
  onTestFinished(watchFolders({ registry, log }, async () => ({ lake: 8, raw: 4 })))
  const snapshot = () => ({ publishedAt: state.published_ms * 1_000, tables: new Set() })
  const marts = { current: snapshot, isDamaged: () => state.isDamaged } as unknown as Marts
  observeRequests({ registry, marts, now: () => state.now_ms * 1_000, log })
  const followed = (source: string, read_ms: number) => ({
    source,
    part: 'venue',
    every_s: 60,
    began_ms: begin_ms,
    seen_ms: state.now_ms,
    reached: 1,
    read_ms,
    failed_rounds: 0,
    fault: null,
  })
  const scrape = async (): Promise<Scrape> => {
    const parts = [followed('venue_trades', state.read_ms), followed('venue_odds', state.now_ms)]
    const disk = [{ source: 'venue_trades', bytes: 9, replaced_bytes: 1, bytes_a_day: null }]
    show({ states: [state.source], disk, freshness: freshnessOf(parts, state.now_ms), counts })
    const samples = parseMetrics(`${await registry.metrics()}${await readMetricsFiles(home)}`)
    const up = { labels: { __name__: 'up', job: 'tapeline' }, value: state.isUp }
    return { at_s: state.now_ms / 1_000, samples: [...samples, up] }
  }
  /** Scrapes every 15 s; `step` runs before each scrape. */
  const run = async (minutes: number, step: (minute: number) => unknown = () => undefined): Promise<Scrape[]> => {
    const scrapes: Scrape[] = []
    for (let n = 0; n <= minutes * 4; n += 1) {
      state.now_ms = begin_ms + (n * minute_ms) / 4
      Object.assign(state, { read_ms: state.now_ms, published_ms: state.now_ms })
      await step(n / 4)
      scrapes.push(await scrape())
    }
    return scrapes
  }
  return { state, counts, build, run }
}

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tapeline-alerts-'))
  await mkdir(join(home, 'metrics'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
})

const rules = await alertRules()

describe('an alert', () => {
  test('is silent over an hour in which builds and requests succeed', async () => {
    const { counts, build, run } = installation(home)
    const scrapes = await run(60, () => {
      build({ publication: 'scores', took_s: 1, asOf: begin_ms * 1_000 })
      counts.answers.set('venue', new Map([[200, (counts.answers.get('venue')?.get(200) ?? 0) + 5]]))
    })
    for (let end = 1; end <= scrapes.length; end += 8) expect(firing(rules, scrapes.slice(0, end))).toEqual([])
  })

  test('fires for a late source once it was late for five minutes, and not for its neighbour', async () => {
    const { state, run } = installation(home)
    const scrapes = await run(20, () => {
      state.read_ms = begin_ms
    })
    const at = (minute: number): string[] => firing(rules, scrapes.slice(0, minute * 4 + 1))
    expect([at(5), at(10), at(11)]).toEqual([[], [], ['TapelineSourceLate']])
    const late = rules.find(({ alert }) => alert === 'TapelineSourceLate')?.expr ?? ''
    expect(evaluate(late, scrapes).map(({ labels }) => labels['source'])).toEqual(['venue_trades'])
  })

  test('waits its time after a machine that stood still', async () => {
    const { state, run } = installation(home)
    const scrapes = await run(21, () => {
      state.read_ms = begin_ms
    })
    const gap = ({ at_s }: Scrape): boolean => at_s > begin_ms / 1_000 + 240 && at_s < begin_ms / 1_000 + 900
    const at = (minute: number): string[] =>
      firing(
        rules,
        scrapes.slice(0, minute * 4 + 1).filter((scrape) => !gap(scrape)),
      )
    expect([at(15), at(19), at(20)]).toEqual([[], [], ['TapelineSourceLate']])
  })

  test('fires for a host that refuses the requests of the client', async () => {
    const { counts, run } = installation(home)
    const server = createServer((_, response) => response.writeHead(403).end('no')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const hosts = { venue: { name: 'venue', doc: '', url, world: 'sim', requestsPer10s: 1_000, concurrency: 4 } }
    const timers = { now_ms: () => performance.now(), sleep: async () => undefined }
    const http = createHttp({ hosts, counts, random: () => 0, ...timers })
    const scrapes = await run(5, async (minute) => {
      if (minute > 1) await http({ host: 'venue', path: '/trades' }, z.unknown()).catch(() => undefined)
    })
    expect(firing(rules, scrapes)).toEqual(['TapelineHostRefuses'])
  })

  test.each<[string, number, (parts: ReturnType<typeof installation>) => unknown]>([
    ['TapelineBuildFailed', 2, ({ build }) => build({ publication: 'scores', took_s: 1, asOf: null })],
    ['TapelineDiskFull', 1, ({ state }) => (state.free_bytes = 1e9)],
    ['TapelineDown', 3, ({ state }) => (state.isUp = 0)],
    ['TapelinePublicationLags', 20, ({ state }) => (state.published_ms = begin_ms - 30 * minute_ms)],
    ['TapelineSnapshotDamaged', 3, ({ state }) => (state.isDamaged = true)],
    ['TapelineSourceChanged', 1, ({ state }) => (state.source = { ...healthy, is_failing: true })],
    ['TapelineReadingRefused', 16, ({ state }) => (state.source = { ...healthy, refused_readings: 2 })],
    [
      'TapelineHostFails',
      21,
      ({ counts }) => counts.answers.set('venue', new Map([[502, (counts.answers.get('venue')?.get(502) ?? 0) + 1]])),
    ],
    [
      'TapelineProcessDead',
      4,
      async () => {
        const file = join(home, 'metrics', 'follow.json')
        await writeFile(file, '[]')
        await utimes(file, begin_ms / 1_000, begin_ms / 1_000)
      },
    ],
  ])('%s fires for its cause, alone', async (alert, minutes, cause) => {
    const parts = installation(home)
    const scrapes = await parts.run(minutes, () => cause(parts))
    expect(firing(rules, scrapes)).toEqual([alert])
  })
})

test('rules and panels name metrics that exist, in valid syntax, and each alert has an entry in the runbook', async () => {
  const parts = installation(home)
  parts.build({ publication: 'scores', took_s: 1, asOf: 1 })
  parts.counts.answers.set('venue', new Map([[200, 1]]))
  await writeFile(join(home, 'metrics', 'follow.json'), '[]')
  const [scrape] = await parts.run(0)
  // A histogram of a route is there from its first request on.
  const present = new Set([
    ...(scrape?.samples ?? []).map(({ labels }) => labels['__name__']),
    'tapeline_http_request_seconds_count',
    'tapeline_build_failures_total',
  ])
  const dashboard = z
    .object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) })
    .parse(JSON.parse(await readFile('examples/operations/dashboard.json', 'utf8')))
  const panels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  expect(panels.length).toBeGreaterThan(10)
  for (const expr of [...panels, ...rules.map((rule) => rule.expr)])
    for (const name of metricNames(expr)) expect(present, expr).toContain(name)
  const runbook = await readFile('docs/runbook.md', 'utf8')
  const entries = [...runbook.matchAll(/^\| `(Tapeline\w+)`/gm)].map(([, name]) => name)
  expect(new Set(entries)).toEqual(new Set(rules.map(({ alert }) => alert)))
})

test.each(['sum by (a (b)', 'tapeline_x{a="b" > 1', '> 1'])('%s is wrong syntax', (expression) => {
  expect(() => metricNames(expression)).toThrow(/wrong syntax|empty/)
})
