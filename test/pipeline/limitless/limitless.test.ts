import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { getAddress } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { openService, type Service } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { exposedWorld, isMade } from '#sim/markets/limitless_wire/exposed_world.ts'
import { truth } from '#sim/markets/true_ledger.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { openTestPipeline } from '#test/pipeline/pipeline.ts'

import { expectedOf } from './expected.ts'
import { readLimitless, trueMarkets } from './read.ts'

const world = createWorld({ seed: 6, scale: 0.02 })
const limitless = exposedWorld(createWorld({ seed: 2_000_006, scale: 0.03 }))
const known = truth(limitless, limitless.now)

const walletShape = z.object({
  pm_profile: z.object({ total_pnl: z.number(), win_rate: z.number(), markets_traded: z.number() }),
})
const tradersShape = z.array(z.object({ wallet: z.string(), pnl: z.number(), win_rate: z.number() }))
const marketsShape = z.array(z.object({ id: z.string(), yes_price: z.number(), volume_24h: z.number() }))

describe('a simulated Limitless, as the API serves it', () => {
  let upstream: ServedWorld
  let home: string
  let service: Service
  let headers: Record<string, string>

  beforeAll(async () => {
    upstream = await serveWorld({ world, others: { limitless }, clock: () => limitless.now })
    home = await mkdtemp(join(tmpdir(), 'tapeline-limitless-'))
    const house = await openTestPipeline(home, upstream, () => limitless.now)
    await readLimitless(house, limitless)
    await house.activities.publishAll({ asOf: null })
    await house.lake.close()
    service = await openService(parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' }), true)
    const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
    headers = { authorization: `Bearer ${key}` }
  })
  afterAll(async () => {
    await service.close()
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  })

  const pages = async <T>(path: string, shape: z.ZodType<T[]>): Promise<T[]> => {
    const rows: T[] = []
    let next: string | undefined = `${service.url}/v1${path}`
    while (next !== undefined) {
      const response: Response = await fetch(next, { headers })
      rows.push(...shape.parse(await response.json()))
      const link: RegExpExecArray | null = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')
      next = link?.[1] === undefined ? undefined : new URL(link[1], service.url).href
    }
    return rows
  }

  it('has the true odds and the true volume of each market', async () => {
    const expected = trueMarkets(limitless)
    const served = await pages('/pm-markets?platform=limitless&status=all&limit=100', marketsShape)
    expect(served.length).toBeGreaterThan(10)
    const wrong = served.filter(({ id, yes_price, volume_24h }) => {
      const market = expected.get(id)
      if (market === undefined) return true
      const isPrice = market.price === null || Math.abs(market.price - yes_price) < 1e-6
      return !isPrice || market.volume !== volume_24h
    })
    expect(wrong.map((row) => ({ ...row, expected: expected.get(row.id) }))).toEqual([])
    expect(served.filter(({ volume_24h }) => volume_24h > 0).length).toBeGreaterThan(5)
  })

  it('equals the true ledger to the cent for every trader', async () => {
    const wrong: unknown[] = []
    const partial: string[] = []
    for (const [wallet, true_] of known) {
      const response = await fetch(`${service.url}/v1/pm-wallet?address=${wallet}`, { headers })
      const { pm_profile: served } = walletShape.parse(await response.json())
      if (response.headers.get('x-coverage') !== 'complete') {
        partial.push(wallet)
        continue
      }
      const expected = expectedOf(true_, 'all')
      const [pnl, win_rate, markets] = [served.total_pnl, served.win_rate, served.markets_traded]
      if (pnl !== expected.pnl || win_rate !== expected.win_rate || markets !== true_.markets_traded) {
        wrong.push({ wallet, served, expected, markets: true_.markets_traded })
      }
    }
    expect(wrong).toEqual([])
    // Partial are exactly the traders with conversions, whose target the venue does not show.
    const planted = [...known].filter(([, { isComplete }]) => !isComplete).map(([wallet]) => wallet)
    expect(partial.toSorted()).toEqual(planted.toSorted())
    expect(known.size).toBeGreaterThan(30)
    const withMaker = [...limitless.matches.market].filter((index) => {
      const market = limitless.markets[index]
      return market !== undefined && isMade(market)
    })
    expect(withMaker.length).toBeGreaterThan(500)
  })

  it.each(['30d', '90d', 'all'] as const)('ranks the traders by their true results of %s', async (range) => {
    const served = await pages(`/pm-traders?sort=pnl&range=${range}&limit=100`, tradersShape)
    const expected = served.map(({ wallet }) => ({ wallet, ...expectedOf(known.get(wallet.toLowerCase()), range) }))
    expect(served.map(({ wallet, pnl, win_rate }) => ({ wallet, pnl, win_rate }))).toEqual(expected)
    const eligible = [...known].filter(
      ([, row]) => row.isComplete && row.nFills >= 20 && row.closed.all >= 10 && row.closed[range] > 0,
    )
    expect(eligible.length).toBeGreaterThan(5)
    expect(served.map(({ wallet }) => wallet).toSorted()).toEqual(
      eligible.map(([wallet]) => getAddress(wallet)).toSorted(),
    )
  })
})
