import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { openService, type Service } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { startWorkflow } from '#engine/embedded_workflow.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import type { RejectedRow } from '#ingest/source.ts'
import {
  describeMarket,
  kalshiMarket,
  kalshiSeries,
  quoteOf,
  resolutionOf,
  termsOf,
  unknownTerms,
} from '#sources/markets/kalshi/wire/market_rows.ts'
import { kalshiTrade, toFill } from '#sources/markets/kalshi/wire/trade_rows.ts'
import { openTestPipeline } from '#test/pipeline/pipeline.ts'
import { isRecorded, recordingsDir } from '#test/recordings/routes.ts'
import { backfill } from '#workflows/backfill.ts'

import { serveKalshiRecordings } from './replay.ts'
import { generations, isCombo, recordedMarkets, recordedRows, type Body, type Kind } from './rows.ts'

/** After the last row that was recorded. */
const at = Date.UTC(2026, 7, 21) * 1000

/** Reads rows as the sources would, down to the rows of the lake; gives back the number of rows. */
const parsers: Record<Kind, (bodies: Body[], rejected: RejectedRow[]) => number> = {
  market: (bodies, rejected) => {
    const markets = parseRows(bodies, kalshiMarket, { dataset: 'markets', path: '/markets', rejected })
    for (const market of markets)
      for (const read of [resolutionOf, (one: typeof market) => quoteOf(one, at)]) read(market)
    return markets.map((market) => describeMarket(market, unknownTerms, at)).length
  },
  trade: (bodies, rejected) =>
    parseRows(bodies, kalshiTrade, { dataset: 'fills', path: '/markets/trades', rejected }).map(toFill).length,
  series: (bodies, rejected) =>
    parseRows(bodies, kalshiSeries, { dataset: 'markets', path: '/series', rejected }).map(termsOf).length,
}

test('recordings are there', ({ skip }) => {
  const message = `no recordings in ${recordingsDir}, so that no real row was parsed: RECORDINGS_DIR names their folder`
  skip(!isRecorded && process.env['CI'] !== 'true', message)
  expect(isRecorded, message).toBe(true)
})

describe.runIf(isRecorded).each(generations)('every recorded row of the wire in %s', (generation) => {
  test.each(Object.keys(parsers) as Kind[])('of a %s parses', (kind) => {
    const bodies = recordedRows(kind, [generation])
    const rejected: RejectedRow[] = []
    const n_rows = parsers[kind](bodies, rejected)
    console.log(`kalshi ${generation} ${kind}: ${bodies.length} rows, ${n_rows} parsed, ${rejected.length} quarantined`)
    expect(bodies.length).toBeGreaterThan(3)
    expect(n_rows + rejected.length).toBe(bodies.length)
    expect(rejected.length / bodies.length).toBeLessThanOrEqual(0.01)
  })
})

const marketsShape = z.array(
  z.object({ id: z.string(), yes_price: z.number(), volume_24h: z.number(), platform: z.literal('kalshi') }),
)
const hour = 3_600_000_000
/** The hours in which trades were recorded. */
const hoursTraded = (): number[] => [
  ...new Set(
    recordedRows('trade').map((row) => Math.floor((Date.parse(String(row['created_time'])) * 1000) / hour) * hour),
  ),
]
/** The intervals of the recorded settlements and trades. */
const intervals = () => [
  { source: 'kalshi_markets', from: 1, to: at },
  { source: 'kalshi_settlements', from: Date.UTC(2026, 7, 5) * 1000, to: Date.UTC(2026, 7, 12) * 1000 },
  ...hoursTraded().map((from) => ({ source: 'kalshi_trades', from, to: from + hour })),
  { source: 'kalshi_odds', from: 1, to: at },
]

describe.runIf(isRecorded)('the recordings of Kalshi, through the whole pipeline', () => {
  let served: Map<string, z.output<typeof marketsShape>[number]>
  let lake: { n_fills: number; n_rejected: number }
  let service: Service
  const close: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    const upstream = await serveKalshiRecordings()
    const home = await mkdtemp(join(tmpdir(), 'tapeline-recordings-kalshi-'))
    close.push(upstream.close, () => rm(home, { recursive: true, force: true }))
    const house = await openTestPipeline(home, upstream, () => at)
    for (const interval of intervals()) {
      const request = { ...interval, keys: [] }
      const { failures } = await startWorkflow(backfill, { args: [request], activities: house.activities }).result
      expect(failures).toEqual([])
    }
    const counts = z.object({ n_fills: z.number(), n_rejected: z.number() })
    const sql = `select (select count(*) from lake.fills)::int as n_fills, (select count(*) from lake.quarantine)::int as n_rejected`
    const [row] = await house.lake.read(({ query }) => query(sql, counts))
    lake = row ?? { n_fills: 0, n_rejected: -1 }
    await house.activities.publishAll({ asOf: null })
    await house.lake.close()
    service = await openService(parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' }), true)
    close.unshift(service.close)
    const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
    const response = await fetch(`${service.url}/v1/pm-markets?platform=kalshi&status=all&limit=1000`, {
      headers: { authorization: `Bearer ${key}` },
    })
    served = new Map(marketsShape.parse(await response.json()).map((market) => [market.id, market]))
  })
  afterAll(async () => {
    for (const end of close) await end()
  })

  it('stores every recorded trade, and rejects no row', () => {
    expect(lake).toEqual({ n_fills: recordedRows('trade').length, n_rejected: 0 })
  })

  it('serves every recorded market but the combinations, and those that closed without a settlement or a price', () => {
    const isUnpriced = ({ status, result }: Record<string, unknown>) => status === 'closed' && result === ''
    const recorded = [...recordedMarkets().values()].filter((row) => !isCombo(row) && !isUnpriced(row))
    expect([...served.keys()].toSorted()).toEqual(recorded.map((row) => `kalshi:${String(row['ticker'])}`).toSorted())
    expect(served.size).toBeGreaterThan(90)
  })

  it('serves the middle of a narrow book, and the value of a settlement', () => {
    let [n_open, n_settled] = [0, 0]
    for (const [ticker, row] of recordedMarkets()) {
      const market = served.get(`kalshi:${ticker}`)
      if (market === undefined) continue
      const [bid, ask] = [Number(row['yes_bid_dollars']), Number(row['yes_ask_dollars'])]
      if (row['status'] === 'finalized') {
        expect(market.yes_price).toBe(Number(row['settlement_value_dollars']))
        n_settled += 1
      } else if (row['status'] === 'active' && bid > 0 && ask < 1 && ask - bid < 0.1 - 1e-9) {
        expect(market.yes_price).toBeCloseTo((bid + ask) / 2, 6)
        n_open += 1
      }
    }
    expect(n_settled).toBeGreaterThanOrEqual(42)
    expect(n_open).toBeGreaterThan(30)
  })
})
