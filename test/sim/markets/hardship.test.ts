import { beforeAll, describe, expect, test } from 'vitest'

import type { World } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'

let world: World
beforeAll(() => {
  world = createWorld({ seed: 3, scale: 0.3, isHard: true })
})

const takersOf = ({ fills }: World): number[] =>
  Array.from({ length: fills.length }, (_, row) => row).filter((row) => fills.isTaker[row] === 1)

describe('a hard world', () => {
  test('is the same for a seed', () => {
    const [a, b] = [2, 2].map((seed) => createWorld({ seed, scale: 0.03, isHard: true }))
    expect(a?.fills).toEqual(b?.fills)
    expect(a?.markets).toEqual(b?.markets)
  })

  test('has no skill but for a fifth of its takers', () => {
    const takers = world.traders.filter(({ archetype }) => !['market_maker', 'arbitrageur'].includes(archetype))
    const unskilled = takers.filter(({ edge }) => edge <= 0)
    expect(unskilled.length / takers.length).toBeGreaterThan(0.75)
    expect(takers.filter(({ edge }) => edge === 0).length / takers.length).toBeGreaterThan(0.6)
  })

  test('has stakes of different orders of magnitude', () => {
    const stakes = takersOf(world)
      .map((row) => world.fills.cash[row] ?? 0)
      .toSorted((a, b) => a - b)
    const at = (share: number): number => stakes[Math.floor(share * stakes.length)] ?? 0
    expect(at(0.99) / at(0.5)).toBeGreaterThan(20)
  })

  test('has prices that are fair: what pays at 0.30 happens in three of ten cases', () => {
    // One price a market, that of its first match.
    const firsts = new Map<number, number>()
    for (let match = 0; match < world.matches.length; match++) {
      const market = world.matches.market[match] ?? -1
      if (market >= 0 && !firsts.has(market)) firsts.set(market, world.matches.fair[match] ?? 0)
    }
    const gaps = [...firsts].flatMap(([market, fair]) => {
      const payouts = world.markets[market]?.payouts ?? null
      return payouts === null ? [] : [payouts[0] / 1e6 - fair]
    })
    expect(gaps.length).toBeGreaterThan(80)
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    expect(Math.abs(mean)).toBeLessThan(4 * (0.5 / Math.sqrt(gaps.length)))
  })

  test('has hourly prices that drift neither to the middle nor away from it', () => {
    const { prices } = world
    const known = new Map(prices.ts_s.map((ts_s, row) => [`${prices.market[row]} ${ts_s}`, prices.fair[row] ?? 0]))
    // One day a market, from its second one in the world on: days of one market are not independent.
    const drifts = world.markets.flatMap(({ index, createdAt_s }) => {
      const from_s = 3600 * Math.ceil((Math.max(createdAt_s, world.opensAt / 1e6) + 86_400) / 3600)
      const [before, after] = [from_s, from_s + 86_400].map((ts_s) => known.get(`${index} ${ts_s}`))
      return before === undefined || after === undefined ? [] : [Math.sign(before - 0.5) * (after - before)]
    })
    expect(drifts.length).toBeGreaterThan(80)
    const mean = drifts.reduce((sum, drift) => sum + drift, 0) / drifts.length
    const variance = drifts.reduce((sum, drift) => sum + (drift - mean) ** 2, 0) / drifts.length
    expect(Math.abs(mean)).toBeLessThan(3 * Math.sqrt(variance / drifts.length))
  })

  test('has questions that end early, where what they ask for happens', () => {
    const early = world.markets.filter(
      ({ kind, closedAt_s, endsAt_s }) => kind === 'yes_no' && closedAt_s < endsAt_s - 86_400 * 5,
    )
    expect(early.length).toBeGreaterThan(0)
    for (const { result } of early) expect(result).toBe('first')
  })

  test('has pairs of wallets that trade with each other', () => {
    const pairs = world.traders.filter(({ partner }) => partner !== null)
    expect(pairs.length).toBeGreaterThan(1)
    for (const { index, partner } of pairs) expect(world.traders[partner ?? -1]?.partner).toBe(index)
    const { fills, matches } = world
    const isWash = (match: number): boolean => {
      const first = matches.firstFill[match] ?? 0
      return world.traders[fills.trader[first] ?? -1]?.partner === fills.trader[first + 1]
    }
    const washes = Array.from({ length: matches.length }, (_, match) => match).filter(isWash)
    expect(washes.length).toBeGreaterThan(20)
  })

  test('has takers who know what comes: the price goes where they expect it', () => {
    const { matches } = world
    let [n, sum] = [0, 0]
    for (let match = 0; match < matches.length; match++) {
      const known = (matches.expected[match] ?? 0) - (matches.fair[match] ?? 0)
      const payouts = world.markets[matches.market[match] ?? -1]?.payouts
      if (!(Math.abs(known) > 0.015) || payouts === null || payouts === undefined) continue
      n++
      sum += Math.sign(known) * (payouts[0] / 1e6 - (matches.fair[match] ?? 0))
    }
    expect(n).toBeGreaterThan(100)
    expect(sum / n).toBeGreaterThan(-0.05)
  })
})
