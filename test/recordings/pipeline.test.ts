import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { openService, type Service } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { startWorkflow } from '#engine/embedded_workflow.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { backfill } from '#workflows/backfill.ts'

import { serveRecordings, unrecorded, type ServedRecordings } from './replay.ts'
import { isRecorded, recordedRows, routeOf } from './routes.ts'

/** After the last row that was recorded. */
const at = Date.UTC(2026, 10, 20) * 1000
const insider = '0xee50a31c3f5a7c77824b12a941a54388a2827ed6'

const marketsShape = z.array(
  z.object({
    id: z.string(),
    question: z.string(),
    yes_price: z.number().min(0).max(1),
    no_price: z.number().min(0).max(1),
    volume_24h: z.number().min(0),
    platform: z.literal('polymarket'),
  }),
)
const profileShape = z.object({
  pm_profile: z.object({ total_pnl: z.number(), win_rate: z.number(), markets_traded: z.number() }),
})

describe.runIf(isRecorded)('the recordings, through the whole pipeline', () => {
  let upstream: ServedRecordings
  let home: string
  let service: Service
  let headers: Record<string, string>
  const recordedWallets = isRecorded
    ? [...new Set(recordedRows(routeOf('/activity')).map((row) => String(row['proxyWallet'])))]
    : []

  beforeAll(async () => {
    upstream = await serveRecordings()
    home = await mkdtemp(join(tmpdir(), 'tapeline-recordings-'))
    const pipeline = await openTestPipeline(home, upstream, () => at)
    const { activities } = pipeline
    const described = ['polymarket_markets', 'polymarket_clob_markets', 'polymarket_odds', 'polymarket_resolutions']
    await ingestAll(pipeline, at, [...described, 'polymarket_trades', 'polymarket_activity'], unrecorded)
    const request = { source: 'polymarket_activity', from: 0, to: at, keys: recordedWallets }
    await startWorkflow(backfill, { args: [request], activities }).result
    await activities.publishAll({ asOf: null })
    await pipeline.lake.close()
    service = await openService(parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' }), true)
    const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
    headers = { authorization: `Bearer ${key}` }
  })
  afterAll(async () => {
    await service.close()
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  })

  const wallet = async (address: string) => {
    const response = await fetch(`${service.url}/v1/pm-wallet?address=${address}`, { headers })
    const { pm_profile } = profileShape.parse(await response.json())
    return { ...pm_profile, coverage: response.headers.get('x-coverage') }
  }

  it('serves real markets with their odds', async () => {
    const response = await fetch(`${service.url}/v1/pm-markets?status=all&limit=1000`, { headers })
    const served = new Map(marketsShape.parse(await response.json()).map((market) => [market.id, market]))
    // Of a market that was recorded more than once the last recording is served.
    const recorded = new Map(recordedRows(routeOf('/markets/keyset')).map((row) => [row['conditionId'], row]))
    expect(served.size).toBeGreaterThan(200)
    // If the book was tight at its recording, its middle is the price.
    const quoted = z.object({ conditionId: z.string(), bestBid: z.number(), bestAsk: z.number() })
    let compared = 0
    for (const body of recorded.values()) {
      const isOpen = body['closed'] === false && body['active'] === true && body['acceptingOrders'] === true
      const book = quoted.safeParse(body)
      if (!isOpen || !book.success || book.data.bestAsk - book.data.bestBid > 0.1 + 1e-9) continue
      const market = served.get(`polymarket:${book.data.conditionId}`)
      expect(market?.yes_price).toBeCloseTo((book.data.bestBid + book.data.bestAsk) / 2, 6)
      expect((market?.yes_price ?? 0) + (market?.no_price ?? 0)).toBeCloseTo(1, 6)
      compared += 1
    }
    expect(compared).toBeGreaterThan(50)
  })

  it('serves no odds outside of a recorded book, and no 0.5 of a book whose middle is another price', async () => {
    const response = await fetch(`${service.url}/v1/pm-markets?status=open&limit=1000`, { headers })
    const served = new Map(marketsShape.parse(await response.json()).map((market) => [market.id, market]))
    const recorded = new Map(recordedRows(routeOf('/markets/keyset')).map((row) => [String(row['conditionId']), row]))
    const book = z.object({ bestBid: z.number().default(0), bestAsk: z.number().default(1) })
    const [outside, invented]: [string[], string[]] = [[], []]
    let compared = 0
    for (const [id, body] of recorded) {
      const market = served.get(`polymarket:${id}`)
      const { data: { bestBid, bestAsk } = { bestBid: 0, bestAsk: 1 } } = book.safeParse(body)
      // A crossed book says nothing.
      if (market === undefined || bestBid > bestAsk) continue
      compared += 1
      if (market.yes_price < bestBid - 1e-9 || market.yes_price > bestAsk + 1e-9) outside.push(id)
      if (market.yes_price === 0.5 && Math.abs(bestBid + bestAsk - 1) > 1e-9) invented.push(id)
    }
    expect(outside).toEqual([])
    expect(invented).toEqual([])
    expect(compared).toBeGreaterThan(100)
  })

  it('serves the wallet whose result is known by average cost, as partial and unlisted', async () => {
    expect(await wallet(insider)).toEqual({
      total_pnl: 1_185_147.53,
      win_rate: Number((48 / 59).toFixed(6)),
      markets_traded: 59,
      coverage: expect.stringMatching(/^partial; reason=".*never seen bought.*"$/) as string,
    })
    for (const sort of ['pnl', 'win_rate', 'clv']) {
      const response = await fetch(`${service.url}/v1/pm-traders?range=all&sort=${sort}`, { headers })
      expect((await response.text()).toLowerCase()).not.toContain(insider)
    }
  })

  it('serves every recorded wallet', async () => {
    expect(recordedWallets.length).toBeGreaterThanOrEqual(4)
    for (const address of recordedWallets) {
      const { markets_traded, coverage } = await wallet(address)
      const conditions = new Set(
        recordedRows(routeOf('/activity'))
          .filter((row) => row['proxyWallet'] === address && row['type'] === 'TRADE')
          .map((row) => row['conditionId']),
      )
      expect(markets_traded).toBe(conditions.size)
      expect(coverage).toMatch(/^partial; reason="/)
    }
  })
})
