import { describe, expect, test } from 'vitest'

import { truth, type Truth } from '#sim/markets/true_ledger.ts'
import type { Activity, World } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'

const world = createWorld({ seed: 11, scale: 0.03 })

describe('the true ledger of a world', () => {
  const instants = [world.now - 60 * 86_400e6, world.now, world.endsAt]

  test.each(instants)('adds up at %i: gains equal losses minus fees and the cash in the vault', (at) => {
    let [gained, held] = [0n, 0n]
    for (const { pnl, open_cost } of truth(world, at).values()) [gained, held] = [gained + pnl.all, held + open_cost]
    const { vault, fees } = cashOf(world, at / 1e6)
    expect(fees).toBeGreaterThan(0n)
    expect(gained + fees).toBe(held - vault)
  })

  test('marks as incomplete exactly the traders with a conversion by then', () => {
    for (const at of instants) {
      const converted = world.activity.filter((row) => row.kind === 'CONVERSION' && row.ts_s <= at / 1e6)
      const wallets = new Set(converted.map((row) => world.traders[row.trader]?.wallet))
      const incomplete = [...truth(world, at)].filter(([, one]) => !one.isComplete).map(([wallet]) => wallet)
      expect(new Set(incomplete)).toEqual(wallets)
    }
    const planted = world.traders.filter((trader) => trader.isConverter).map((trader) => trader.wallet)
    expect(
      [...truth(world, world.now)]
        .filter(([, one]) => !one.isComplete)
        .map(([wallet]) => wallet)
        .toSorted(),
    ).toEqual(planted.toSorted())
  })

  test('has equally many tokens of both outcomes, since they are minted and merged in pairs', () => {
    const { holdings } = cashOf(world, world.endsAt / 1e6)
    expect(holdings.size).toBeGreaterThan(30)
    for (const [first, second] of holdings.values()) expect(first).toBe(second)
  })

  test('is made of windows: a longer window contains the realizations of a shorter one', () => {
    for (const one of truth(world, world.now).values()) {
      expect(one.closed['30d']).toBeLessThanOrEqual(one.closed['90d'])
      expect(one.closed['90d']).toBeLessThanOrEqual(one.closed.all)
      expect(one.won.all).toBeLessThanOrEqual(one.closed.all)
      expect(one.markets_traded).toBeLessThanOrEqual(one.nFills)
    }
  })

  test('differs where archetypes should: sharps earn, fade targets pay', () => {
    const at_end = truth(createWorld({ seed: 3, scale: 0.2 }), world.endsAt)
    expect(at_end.size).toBeGreaterThan(200)
    const mean = (archetype: string) => {
      const wallets = createWorld({ seed: 3, scale: 0.2 }).traders.filter((trader) => trader.archetype === archetype)
      return wallets.reduce((sum, { wallet }) => sum + Number(at_end.get(wallet)?.pnl.all ?? 0n), 0) / wallets.length
    }
    expect(mean('sharp')).toBeGreaterThan(0)
    expect(mean('fade_target')).toBeLessThan(0)
  })
})

test('only converters are ever short, in the order of the ledger', () => {
  // `truth` throws if a trader sells shares without a position. Each entry of each trader passes through it.
  expect(truth(world, world.endsAt).size).toBe(world.traders.length)
})

describe('the ledger of one trader, by hand', () => {
  const day_s = 86_400
  const ts_s = 1_790_000_000

  test('average cost with fees, a part sold, the rest realized at resolution', () => {
    const one = judgeTrader(
      [
        { ts_s, side: 0, size: 10, cash: 4, fee: 0.1 },
        { ts_s: ts_s + 5, side: 1, size: 4, cash: 2, fee: 0.05 },
      ],
      { resolvedAt_s: ts_s + 40 * day_s },
      ts_s + 41 * day_s,
    )
    // 4.10 for 10; 4 of them (cost 1.64) bring 1.95: +0.31; the other 6 (cost 2.46) pay 6: +3.54.
    expect(one.pnl).toEqual({ '30d': 3_540_000n, '90d': 3_850_000n, all: 3_850_000n })
    expect(one).toMatchObject({ won: { all: 1 }, closed: { '30d': 1 }, markets_traded: 1, nFills: 2, isComplete: true })
    expect(one.open_cost).toBe(6_000_000n)
  })

  test('a sale after the resolution realizes only the difference, and a redemption nothing', () => {
    const one = judgeTrader(
      [
        { ts_s, side: 0, size: 10, cash: 4, fee: 0 },
        { ts_s: ts_s + 20, side: 1, size: 5, cash: 4.995, fee: 0 },
      ],
      { resolvedAt_s: ts_s + 10, redeemedAt_s: ts_s + 30, redeemed: 5 },
      ts_s + 60,
    )
    expect(one.pnl.all).toBe(6_000_000n - 5000n)
    expect(one.open_cost).toBe(0n)
  })

  test('within a second buys come before sales', () => {
    const one = judgeTrader(
      [
        { ts_s, side: 1, size: 10, cash: 6, fee: 0 },
        { ts_s, side: 0, size: 10, cash: 4, fee: 0 },
      ],
      { resolvedAt_s: Infinity },
      ts_s,
    )
    expect(one).toMatchObject({ pnl: { all: 2_000_000n }, closed: { all: 1 }, won: { all: 1 }, open_cost: 0n })
  })

  test('a trader that left before the resolution closed with the last sale; re-entry opens the market again', () => {
    const out = [
      { ts_s, side: 0, size: 10, cash: 4, fee: 0 },
      { ts_s: ts_s + 10, side: 1, size: 9.995, cash: 3, fee: 0 },
    ]
    const at_s = ts_s + 31 * day_s
    expect(judgeTrader(out, { resolvedAt_s: at_s - 5 }, at_s).closed).toEqual({ '30d': 0, '90d': 1, all: 1 })
    const again = [...out, { ts_s: ts_s + 20, side: 0, size: 10, cash: 5, fee: 0 }]
    expect(judgeTrader(again, { resolvedAt_s: Infinity }, at_s).closed.all).toBe(0)
    expect(judgeTrader(again, { resolvedAt_s: at_s - 5 }, at_s).closed['30d']).toBe(1)
  })

  test('markets with less than a dollar paid in are not counted as closed', () => {
    const one = judgeTrader([{ ts_s, side: 0, size: 1, cash: 0.999999, fee: 0 }], { resolvedAt_s: ts_s + 1 }, ts_s + 2)
    expect(one).toMatchObject({ closed: { all: 0 }, win_rate: { all: 0 }, pnl: { all: 1n } })
  })

  test('a set is split at half a dollar a side and merged at the same', () => {
    const activity = [row('SPLIT', ts_s, 3.000001), row('MERGE', ts_s + 9, 1)]
    const one = judgeTrader([], { resolvedAt_s: ts_s + 20, activity }, ts_s + 10)
    expect(one).toMatchObject({ pnl: { all: 0n }, open_cost: 2_000_001n, markets_traded: 0 })
    const after = judgeTrader([], { resolvedAt_s: ts_s + 20, activity }, ts_s + 20)
    expect(after).toMatchObject({ pnl: { all: 0n }, open_cost: 2_000_001n, closed: { all: 1 }, won: { all: 0 } })
  })

  test('a window begins after, and ends with, its instant', () => {
    const fills = [
      { ts_s, side: 0, size: 10, cash: 4, fee: 0 },
      { ts_s: ts_s + 10, side: 1, size: 10, cash: 5, fee: 0 },
    ]
    const at = (after_s: number) => judgeTrader(fills, { resolvedAt_s: Infinity }, ts_s + 10 + after_s).pnl['30d']
    expect([at(0), at(30 * day_s - 1), at(30 * day_s)]).toEqual([1_000_000n, 1_000_000n, 0n])
  })
})

type Deal = { ts_s: number; side: number; size: number; cash: number; fee: number }
type Life = { resolvedAt_s: number; redeemedAt_s?: number; redeemed?: number; activity?: Activity[] }

const row = (kind: Activity['kind'], ts_s: number, size: number): Activity => {
  const millionths = Math.round(size * 1e6)
  return { ts_s, tx: ts_s, trader: 0, kind, market: 0, size: millionths, cash: millionths, event: -1, indexSet: 0 }
}

const template = createWorld({ seed: 1, scale: 0.01 })

/** The truth about trader 0, the only trader of outcome 0 of one market; outcome 0 wins. */
function judgeTrader(deals: Deal[], life: Life, at_s: number): Truth {
  const market = {
    ...template.markets[5],
    index: 0,
    resolvedAt_s: life.resolvedAt_s,
    payouts: [1_000_000, 0],
  } as World['markets'][number]
  const n = deals.length
  const millionths = (of: (deal: Deal) => number) => Float64Array.from(deals, (deal) => Math.round(of(deal) * 1e6))
  const redemption = life.redeemedAt_s === undefined ? [] : [row('REDEEM', life.redeemedAt_s, life.redeemed ?? 0)]
  const made: World = {
    ...template,
    markets: [market],
    matches: {
      length: n,
      ts_s: Float64Array.from(deals, (deal) => deal.ts_s),
      market: new Int32Array(n),
      fair: new Float64Array(n),
      expected: new Float64Array(n),
      tx: Int32Array.from(deals, (_, i) => i),
      firstFill: Int32Array.from({ length: n + 1 }, (_, i) => i),
    },
    fills: {
      length: n,
      match: Int32Array.from(deals, (_, i) => i),
      trader: new Int32Array(n),
      outcome: new Uint8Array(n),
      side: Uint8Array.from(deals, (deal) => deal.side),
      isTaker: new Uint8Array(n).fill(1),
      size: millionths((deal) => deal.size),
      cash: millionths((deal) => deal.cash),
      fee: millionths((deal) => deal.fee),
    },
    activity: [...(life.activity ?? []), ...redemption],
  }
  const one = truth(made, at_s * 1e6).get(template.traders[0]?.wallet ?? '')
  if (one === undefined) throw new Error('the trader has no ledger')
  return one
}

/** The cash that the venue holds for all traders, the fees that it took, and the tokens of each market. */
function cashOf(of: World, at_s: number): { vault: bigint; fees: bigint; holdings: Map<number, [number, number]> } {
  const { matches, fills } = of
  let [vault, fees] = [0n, 0n]
  const holdings = new Map<number, [number, number]>()
  for (let fill = 0; fill < fills.length; fill++) {
    const match = fills.match[fill] ?? 0
    const market = matches.market[match] ?? -1
    if ((matches.ts_s[match] ?? Infinity) > at_s || market < 0 || (fills.trader[fill] ?? -1) < 0) continue
    const sign = fills.side[fill] === 0 ? 1 : -1
    vault += BigInt(sign * (fills.cash[fill] ?? 0))
    fees += BigInt(fills.fee[fill] ?? 0)
    const own = holdings.get(market) ?? [0, 0]
    own[fills.outcome[fill] ?? 0] = (own[fills.outcome[fill] ?? 0] ?? 0) + sign * (fills.size[fill] ?? 0)
    holdings.set(market, own)
  }
  for (const { kind, ts_s, cash } of of.activity) {
    if (ts_s > at_s) continue
    if (kind === 'SPLIT') vault += BigInt(cash)
    if (kind === 'MERGE' || kind === 'CONVERSION' || kind === 'REDEEM') vault -= BigInt(cash)
  }
  return { vault, fees, holdings }
}
