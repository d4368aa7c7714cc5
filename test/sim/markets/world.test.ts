import { createHash } from 'node:crypto'

import { describe, expect, test } from 'vitest'

import { archetypes, marketKinds, type World } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'

const small = createWorld({ seed: 7, scale: 0.02 })

describe('a world', () => {
  test('is the same, byte for byte, for the same seed', () => {
    expect(digest(createWorld({ seed: 7, scale: 0.02 }))).toBe(digest(small))
  })

  test('is another for another seed', () => {
    expect(digest(createWorld({ seed: 8, scale: 0.02 }))).not.toBe(digest(small))
  })

  test('has, with a smaller crowd, the same calendar with fewer traders, who enter more markets each', () => {
    const full = createWorld({ seed: 7, scale: 0.3 })
    const sparse = createWorld({ seed: 7, scale: 0.3, crowd: { traders: 0.35, matches: 0.5 } })
    const datesOf = ({ markets }: World) => markets.map(({ conditionId, createdAt_s }) => [conditionId, createdAt_s])
    expect(datesOf(sparse)).toEqual(datesOf(full))
    const ratioOf = (sizeOf: (world: World) => number) => sizeOf(sparse) / sizeOf(full)
    expect(ratioOf(({ traders }) => traders.length)).toBeCloseTo(0.35, 1)
    expect(ratioOf(({ matches }) => matches.length)).toBeCloseTo(0.5, 1)
    const entered = ({ matches, fills, traders }: World) => {
      const pairs = new Set<string>()
      for (let fill = 0; fill < fills.length; fill++) {
        const kind = traders[fills.trader[fill] ?? -1]?.archetype
        if (kind === 'generalist') pairs.add(`${fills.trader[fill]} ${matches.market[fills.match[fill] ?? 0]}`)
      }
      return pairs.size / traders.filter(({ archetype }) => archetype === 'generalist').length
    }
    expect(ratioOf(entered)).toBeGreaterThan(1.1)
  })

  test('has, at any scale, every archetype and every kind of market and result', () => {
    const byNow = small.markets.filter((market) => market.createdAt_s <= small.now / 1e6)
    expect(new Set(small.traders.map((trader) => trader.archetype))).toEqual(new Set(archetypes))
    expect(new Set(byNow.map((market) => market.kind))).toEqual(new Set(marketKinds))
    const reported = byNow.filter((market) => market.resolvedAt_s <= small.now / 1e6)
    expect(new Set(reported.map((market) => market.result))).toEqual(
      new Set(['first', 'second', 'fifty_fifty', 'void', 'none']),
    )
    expect(small.traders.filter((trader) => trader.isConverter).length).toBeGreaterThan(0)
    expect(new Set(small.activity.map((row) => row.kind)).size).toBe(8)
  })

  test('has markets in every state at its `now`', () => {
    const now_s = small.now / 1e6
    const known = small.markets.filter((market) => market.createdAt_s <= now_s && market.kind !== 'legacy')
    const traded = new Set(matchesBy(small, now_s).map((match) => small.matches.market[match]))
    expect(known.filter((market) => market.closedAt_s > now_s).length).toBeGreaterThan(3)
    expect(known.filter((market) => market.closedAt_s <= now_s && market.resolvedAt_s > now_s).length).toBeGreaterThan(
      0,
    )
    expect(
      known.filter((market) => (market.pausedAt_s ?? Infinity) <= now_s && (market.resumedAt_s ?? 0) > now_s),
    ).not.toEqual([])
    expect(known.filter((market) => now_s - market.createdAt_s < 900 && !traded.has(market.index))).not.toEqual([])
    expect(known.filter((market) => now_s - market.createdAt_s > 86_400 && !traded.has(market.index))).not.toEqual([])
    expect(known.filter((market) => market.feeRate > 0).length).toBeGreaterThan(0)
  })

  test('goes on after its `now`', () => {
    expect(small.matches.length).toBeGreaterThan(matchesBy(small, small.now / 1e6).length)
  })
})

describe('matches', () => {
  test('are in the order of time and before the end', () => {
    const { ts_s } = small.matches
    expect(ts_s.every((at, i) => i === 0 || at >= (ts_s[i - 1] ?? 0))).toBe(true)
    expect((ts_s[0] ?? 0) * 1e6).toBeGreaterThanOrEqual(small.opensAt)
    expect((ts_s[ts_s.length - 1] ?? 0) * 1e6).toBeLessThanOrEqual(small.endsAt)
  })

  test('balance: shares and cash that one side gives the other takes, or a complete set is minted or merged', () => {
    for (const match of ownMatches(small)) {
      const [taker, ...makers] = fillsOf(small, match)
      if (taker === undefined) throw new Error(`match ${match} has no taker`)
      expect(makers.length).toBeGreaterThan(0)
      expect(taker.isTaker).toBe(true)
      expect(makers.some((maker) => maker.isTaker)).toBe(false)
      expect(makers.reduce((sum, maker) => sum + maker.size, 0)).toBe(taker.size)
      let cash = 0
      for (const maker of makers) {
        const isSameToken = maker.outcome === taker.outcome
        expect(maker.side === taker.side).toBe(!isSameToken)
        cash += isSameToken ? maker.cash : maker.size - maker.cash
      }
      expect(cash).toBe(taker.cash)
    }
  })

  test('are of whole millionths, at prices strictly between 0 and 1, with the fee of the market', () => {
    for (const match of ownMatches(small)) {
      const { feeRate = 0 } = small.markets[small.matches.market[match] ?? -1] ?? {}
      for (const fill of fillsOf(small, match)) {
        expect(
          Number.isSafeInteger(fill.size) && Number.isSafeInteger(fill.cash) && Number.isSafeInteger(fill.fee),
        ).toBe(true)
        const price = fill.cash / fill.size
        expect(price > 0 && price < 1).toBe(true)
        const fee = fill.isTaker ? (fill.size / 1e6) * feeRate * price * (1 - price) : 0
        expect(Math.abs(fill.fee / 1e6 - fee)).toBeLessThan(1.0001e-5)
      }
    }
  })

  test('contain the cases that make ledgers hard', () => {
    const all = ownMatches(small).map((match) => fillsOf(small, match))
    const keys = all.flat().map((fill) => [fill.tx, fill.trader, fill.outcome, fill.side, fill.size, fill.cash].join())
    const repeated = all.filter(
      (fills) =>
        new Set(fills.map((fill) => [fill.trader, fill.side, fill.size, fill.cash].join())).size < fills.length,
    )
    expect(new Set(keys).size).toBeLessThan(keys.length)
    expect(repeated.length).toBeGreaterThan(0)
    expect(all.flat().some((fill) => !Number.isInteger((fill.cash / fill.size) * 1000))).toBe(true)
    expect(ownMatches(small).some((match) => late(small, match))).toBe(true)
    const seconds = ownMatches(small).map((match) => `${small.matches.ts_s[match]} ${small.matches.market[match]}`)
    expect(new Set(seconds).size).toBeLessThan(seconds.length)
  })
})

test('trading stops in a pause and before a market exists', () => {
  for (const match of ownMatches(small)) {
    const market = small.markets[small.matches.market[match] ?? -1]
    const ts_s = small.matches.ts_s[match] ?? 0
    if (market === undefined) throw new Error(`match ${match} has no market`)
    expect(ts_s).toBeGreaterThan(market.createdAt_s)
    expect(ts_s >= (market.pausedAt_s ?? Infinity) && ts_s < (market.resumedAt_s ?? 0)).toBe(false)
    expect(ts_s >= market.closedAt_s && ts_s < market.resolvedAt_s).toBe(false)
  }
})

test.each([
  [1, 0.02],
  [2, 0.02],
  [3, 0.02],
  [4, 0.05],
  [13, 0.01],
])('seed %i at scale %d: only those use complete sets whose account is worth reading whole', (seed, scale) => {
  const world = createWorld({ seed, scale })
  const rows = new Int32Array(world.traders.length)
  for (const match of matchesBy(world, world.now / 1e6)) {
    for (const fill of fillsOf(world, match)) rows[fill.trader] = (rows[fill.trader] ?? 0) + 1
  }
  const movers = world.activity.filter((row) => ['SPLIT', 'MERGE', 'CONVERSION'].includes(row.kind))
  expect(Math.min(...movers.map((row) => rows[row.trader] ?? 0))).toBeGreaterThanOrEqual(20)
  for (const { index, archetype } of world.traders) if (archetype === 'unproven') expect(rows[index]).toBeLessThan(20)
})

describe('a world of scale 1', () => {
  const world = createWorld({ seed: 1 })
  const now_s = world.now / 1e6

  test('is as large as a demo needs', () => {
    const rows = new Map<number, number>()
    for (const match of matchesBy(world, now_s)) {
      for (const fill of fillsOf(world, match)) rows.set(fill.trader, (rows.get(fill.trader) ?? 0) + 1)
    }
    expect(world.markets.filter((market) => market.createdAt_s <= now_s).length).toBeGreaterThanOrEqual(320)
    expect(matchesBy(world, now_s).length).toBeGreaterThanOrEqual(105_000)
    expect(rows.size).toBeGreaterThanOrEqual(1150)
    expect([...rows.values()].filter((n) => n >= 20).length).toBeGreaterThanOrEqual(1020)
    for (const trader of world.traders) {
      const n = rows.get(trader.index) ?? 0
      if (trader.archetype === 'unproven') expect(n).toBeLessThan(20)
      if (trader.isConverter) expect(n).toBeGreaterThanOrEqual(20)
    }
    expect(world.traders.filter((trader) => trader.isConverter).length / world.traders.length).toBeCloseTo(0.015, 3)
  })

  test('shows the planted edges in the prices paid before a start', () => {
    const sums = new Map<string, { planted: number; found: number; weight: number }>()
    for (const match of matchesBy(world, now_s)) {
      const market = world.markets[world.matches.market[match] ?? -1]
      const start_s = world.events[market?.event ?? -1]?.startsAt_s ?? 0
      const [taker] = fillsOf(world, match)
      const trader = world.traders[taker?.trader ?? -1]
      const price = (taker?.cash ?? 0) / (taker?.size ?? 1)
      if (taker === undefined || trader === undefined || (world.matches.ts_s[match] ?? 0) >= start_s) continue
      if (price < 0.25 || price > 0.75) continue
      const fair = taker.outcome === 0 ? (world.matches.fair[match] ?? 0) : 1 - (world.matches.fair[match] ?? 0)
      const gain = 100 * (taker.side === 0 ? fair - price : price - fair) - (100 * taker.fee) / taker.size
      const sum = sums.get(trader.archetype) ?? { planted: 0, found: 0, weight: 0 }
      sums.set(trader.archetype, {
        planted: sum.planted + trader.edge,
        found: sum.found + gain,
        weight: sum.weight + 1,
      })
    }
    for (const archetype of ['sharp', 'fade_target', 'value_hunter', 'generalist'] as const) {
      const { planted = 0, found = 0, weight = 1 } = sums.get(archetype) ?? {}
      expect(weight).toBeGreaterThan(300)
      expect(found / weight).toBeCloseTo(planted / weight, 0)
    }
  })

  test('is calibrated: closing prices are right on average', () => {
    const gaps = new Map<number, number>()
    for (const market of world.markets) {
      if (market.closePrice === null || market.payouts === null || market.closedAt_s > now_s) continue
      gaps.set(market.event, (gaps.get(market.event) ?? 0) + market.payouts[0] / 1e6 - market.closePrice)
    }
    const sum = [...gaps.values()].reduce((total, gap) => total + gap, 0)
    const error = Math.sqrt([...gaps.values()].reduce((total, gap) => total + gap * gap, 0))
    expect(gaps.size).toBeGreaterThan(100)
    expect(Math.abs(sum)).toBeLessThan(2.58 * error)
  })
})

function digest(world: World): string {
  const hash = createHash('sha256')
  for (const columns of [world.matches, world.fills]) {
    for (const column of Object.values(columns))
      hash.update(typeof column === 'number' ? String(column) : new Uint8Array(column.buffer))
  }
  return hash.update(JSON.stringify({ ...world, matches: null, fills: null })).digest('hex')
}

/** Matches of markets up to an instant: no combos, and no rows of the exchange itself. */
function matchesBy(world: World, at_s: number): number[] {
  return ownMatches(world).filter((match) => (world.matches.ts_s[match] ?? Infinity) <= at_s)
}

function ownMatches({ matches, fills }: World): number[] {
  return Array.from({ length: matches.length }, (_, match) => match).filter(
    (match) => (matches.market[match] ?? -1) >= 0 && (fills.trader[matches.firstFill[match] ?? 0] ?? -1) >= 0,
  )
}

function fillsOf({ matches, fills }: World, match: number) {
  const first = matches.firstFill[match] ?? 0
  const length = (matches.firstFill[match + 1] ?? 0) - first
  return Array.from({ length }, (_, i) => ({
    tx: matches.tx[match] ?? 0,
    trader: fills.trader[first + i] ?? 0,
    outcome: fills.outcome[first + i] ?? 0,
    side: fills.side[first + i] ?? 0,
    isTaker: fills.isTaker[first + i] === 1,
    size: fills.size[first + i] ?? 0,
    cash: fills.cash[first + i] ?? 0,
    fee: fills.fee[first + i] ?? 0,
  }))
}

/** A match after its market's resolution. */
function late(world: World, match: number): boolean {
  return (world.matches.ts_s[match] ?? 0) > (world.markets[world.matches.market[match] ?? -1]?.resolvedAt_s ?? Infinity)
}
