import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { getAddress } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { openService, type Service } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { truth } from '#sim/markets/true_ledger.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { sized } from '#test/run/sized.ts'

import { expectedOf } from './limitless/expected.ts'
import { ingestAll, openTestPipeline } from './pipeline.ts'

// In a smaller world ordinary traders meet so often that they look like a wash.
const scale = sized(0.1, 0.15, 0.25)
const world = createWorld({ seed: 5, scale })
const known = truth(world, world.now)

const walletShape = z.object({
  pm_profile: z.object({ total_pnl: z.number(), win_rate: z.number(), markets_traded: z.number() }),
})
const tradersShape = z.array(z.object({ wallet: z.string(), pnl: z.number(), win_rate: z.number() }))

describe('the simulated world, as the API serves it', () => {
  let upstream: ServedWorld
  let home: string
  let service: Service
  let headers: Record<string, string>

  beforeAll(async () => {
    upstream = await serveWorld({ world, clock: () => world.now })
    home = await mkdtemp(join(tmpdir(), 'tapeline-truth-'))
    const pipeline = await openTestPipeline(home, upstream, () => world.now)
    await ingestAll(pipeline, world.now)
    await pipeline.activities.publishAll({ asOf: null })
    await pipeline.lake.close()
    const config = parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' })
    service = await openService(config, true)
    const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
    headers = { authorization: `Bearer ${key}` }
  })
  afterAll(async () => {
    await service.close()
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  })

  it('equals the true ledger to the cent for every trader with a complete history', async () => {
    const coverage = new Map<string, string>()
    const wrong: unknown[] = []
    for (const [wallet, true_] of known) {
      const response = await fetch(`${service.url}/v1/pm-wallet?address=${wallet}`, { headers })
      const { pm_profile: served } = walletShape.parse(await response.json())
      const state = response.headers.get('x-coverage') ?? ''
      coverage.set(wallet, state)
      if (state !== 'complete') continue
      const expected = expectedOf(true_, 'all')
      const [pnl, win_rate, markets] = [served.total_pnl, served.win_rate, served.markets_traded]
      if (pnl !== expected.pnl || win_rate !== expected.win_rate || markets !== true_.markets_traded) {
        wrong.push({ wallet, served, expected, markets: true_.markets_traded })
      }
    }
    expect(wrong).toEqual([])
    const complete = [...coverage].filter(([, state]) => state === 'complete')
    expect(complete.length).toBeGreaterThan(800 * scale)
    // Partial are exactly the planted ones: those whose conversions the venue does not show whole. Traders with fewer
    // than 20 fills were not pulled yet, and are pending.
    const partial = [...coverage].filter(([, state]) => state.startsWith('partial')).map(([wallet]) => wallet)
    const planted = [...known].filter(([, { isComplete }]) => !isComplete).map(([wallet]) => wallet)
    expect(partial.toSorted()).toEqual(planted.toSorted())
    for (const [wallet, state] of coverage) {
      if (state === 'pending') expect(known.get(wallet)?.nFills).toBeLessThan(20)
    }
  })

  it.each(['30d', '90d', 'all'] as const)('lists the true results of %s', async (range) => {
    const served: z.infer<typeof tradersShape> = []
    let next: string | undefined = `${service.url}/v1/pm-traders?sort=pnl&range=${range}&limit=100`
    while (next !== undefined) {
      const response: Response = await fetch(next, { headers })
      served.push(...tradersShape.parse(await response.json()))
      const link: RegExpExecArray | null = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')
      next = link?.[1] === undefined ? undefined : new URL(link[1], service.url).href
    }
    expect(served.length).toBeGreaterThan(400 * scale)
    const expected = served.map(({ wallet }) => ({ wallet, ...expectedOf(known.get(wallet.toLowerCase()), range) }))
    expect(served.map(({ wallet, pnl, win_rate }) => ({ wallet, pnl, win_rate }))).toEqual(expected)
    const eligible = [...known].filter(
      ([, row]) => row.isComplete && row.nFills >= 20 && row.closed.all >= 10 && row.closed[range] > 0,
    )
    expect(served.map(({ wallet }) => wallet).toSorted()).toEqual(
      eligible.map(([wallet]) => getAddress(wallet)).toSorted(),
    )
  })
})
