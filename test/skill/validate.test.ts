import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { openLake } from '#lake/lake.ts'
import { loadScoring } from '#scoring/index.ts'
import { createWorld } from '#sim/markets/world.ts'
import { sized } from '#test/run/sized.ts'
import { machineClock } from '#time.ts'
import { gather, readUntil } from '#validation/gather.ts'

import { storeWorld } from './stored.ts'
import { betweenWorlds, gatherWorld, periodOf, pooled, validateWorld, type Validated } from './validated.ts'

/** A few of the worlds that `npm run soak -- validate` has twenty of. */
const seeds = sized([1, 2], [1, 2], [1, 2, 3])
const scale = sized(0.4, 0.4, 0.5)

describe('ranks by closing line value, over simulated worlds', () => {
  const worlds: Validated[] = []

  it('are there to be compared, with what came after', async () => {
    for (const seed of seeds) worlds.push(await validateWorld(seed, scale))
    for (const { traders } of worlds) {
      const complete = traders.filter(({ payout, clv }) => payout.length > 0 && clv.length > 0)
      expect(complete.length).toBeGreaterThan(50)
    }
  })

  it('predicted later closes better than raw PnL and raw win rate did, and payouts not worse', () => {
    expect(pooled(worlds, ({ clv }) => clv.spearman.clv).lower).toBeGreaterThan(0.5)
    for (const rival of ['clv_minus_pnl', 'clv_minus_win_rate'] as const) {
      expect(pooled(worlds, ({ clv }) => clv.spearman[rival]).lower).toBeGreaterThan(0)
      expect(betweenWorlds(worlds, ({ payout }) => payout.spearman[rival]).value).toBeGreaterThan(-0.05)
    }
  })
})

describe('the evidence from a lake', () => {
  it('rests on what the lake held at the time: what it learned since changes no rank', async () => {
    const world = createWorld({ seed: 4, scale: sized(0.25, 0.25, 0.3) })
    const home = await mkdtemp(join(tmpdir(), 'tapeline-validate-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    await storeWorld(world, world.now, home)
    const limits = { threads: 1, memory: '2GB' }
    const lake = await openLake(home, limits)
    onTestFinished(lake.close)

    expect(await readUntil(lake)).toBeGreaterThan(world.now)
    const settings = { models: await loadScoring(), ...limits, now: machineClock }
    const found = await gather(lake, periodOf(world), settings)
    expect(found.traders.length).toBeGreaterThan(20)
    // The list holds those who passed all that the funnel counts.
    expect(found.funnel.n_scored).toBe(found.traders.length)
    // There the ranks are from rows up to the start of the period alone.
    // This lake was stored without the name of a world.
    expect(found).toEqual({ ...(await gatherWorld(world)), world: 'real' })
  })
})
