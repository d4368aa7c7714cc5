import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { strategies } from '#sim/markets/roles/habits.ts'
import { createRoleWorld, type RoleWorld } from '#sim/markets/roles/role_world.ts'
import { truth as ledgerOf } from '#sim/markets/true_ledger.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { ask, walkFeed } from '#test/sim/markets/all_pages.ts'

const seed = 7
let made: RoleWorld
beforeAll(() => {
  made = createRoleWorld({ seed, scale: 0.12 })
})

/** A match of an event, without those of the exchange, of parlays and of dust. */
type Match = { match: number; market: number; ts_s: number; taker: number; outcome: number; sign: 1 | -1 }

function matches(): Match[] {
  const { world, truth } = made
  return Array.from({ length: world.matches.length }, (_, match) => match).flatMap((match): Match[] => {
    const fill = world.matches.firstFill[match] ?? 0
    if (Number.isNaN(truth.markout[match])) return []
    const outcome = world.fills.outcome[fill] ?? 0
    return [
      {
        match,
        market: world.matches.market[match] ?? -1,
        ts_s: world.matches.ts_s[match] ?? 0,
        taker: world.fills.trader[fill] ?? -1,
        outcome,
        sign: (world.fills.side[fill] === 0) === (outcome === 0) ? 1 : -1,
      },
    ]
  })
}

/** A mean and its standard error; what happens in one event is one observation. */
function clustered(values: readonly (readonly [cluster: number, value: number])[]): { mean: number; se: number } {
  const mean = values.reduce((sum, [, value]) => sum + value, 0) / values.length
  const sums = new Map<number, number>()
  for (const [cluster, value] of values) sums.set(cluster, (sums.get(cluster) ?? 0) + value - mean)
  return { mean, se: Math.sqrt([...sums.values()].reduce((sum, value) => sum + value ** 2, 0)) / values.length }
}

describe('a world of roles', () => {
  test('is the same for a seed, and another for another seed', () => {
    const [a, b, c] = [3, 3, 4].map((each) => createRoleWorld({ seed: each, scale: 0.02 }))
    expect(a?.world.fills).toEqual(b?.world.fills)
    expect(a?.truth.markout).toEqual(b?.truth.markout)
    expect(a?.world.fills).not.toEqual(c?.world.fills)
  })

  test('has traders of each strategy who trade', () => {
    const { world, truth } = made
    const active = new Set(world.fills.trader)
    const trading = truth.players.filter(({ index }) => active.has(index))
    expect(new Set(trading.map(({ strategy }) => strategy))).toEqual(new Set(strategies))
  })

  test('has an exact ledger: nobody sells more than it holds, and matches balance', () => {
    expect(ledgerOf(made.world, made.world.endsAt).size).toBeGreaterThan(100)
    const { fills, matches: all } = made.world
    for (const { match } of matches()) {
      const [first, end] = [all.firstFill[match] ?? 0, all.firstFill[match + 1] ?? 0]
      let [size, cash] = [0, 0]
      for (let fill = first + 1; fill < end; fill++) {
        const isSameToken = fills.outcome[fill] === fills.outcome[first]
        size += fills.size[fill] ?? 0
        cash += isSameToken ? (fills.cash[fill] ?? 0) : (fills.size[fill] ?? 0) - (fills.cash[fill] ?? 0)
      }
      expect([size, cash]).toEqual([fills.size[first], fills.cash[first]])
    }
  })

  test('has makers who earn what takers pay: retail traders among them, and market makers with a net position', () => {
    const { world, truth } = made
    const byTrader = truth.players.map(() => ({ made: 0, all: 0, bought: new Map<number, number>() }))
    for (let fill = 0; fill < world.fills.length; fill++) {
      const row = byTrader[world.fills.trader[fill] ?? -1]
      const market = world.matches.market[world.fills.match[fill] ?? 0] ?? -1
      if (row === undefined || market < 0) continue
      row.made += world.fills.isTaker[fill] === 0 ? 1 : 0
      row.all++
      const sign = (world.fills.side[fill] === 0) === (world.fills.outcome[fill] === 0) ? 1 : -1
      row.bought.set(market, (row.bought.get(market) ?? 0) + sign * (world.fills.size[fill] ?? 0))
    }
    const makers = truth.players.filter(({ index }) => (byTrader[index]?.made ?? 0) > 0.8 * (byTrader[index]?.all ?? 1))
    expect(makers.filter(({ strategy }) => strategy === 'poster').length).toBeGreaterThan(10)
    const turnover = (index: number): number =>
      Array.from({ length: world.fills.length }, (_, fill) => fill)
        .filter((fill) => world.fills.trader[fill] === index)
        .reduce((sum, fill) => sum + (world.fills.size[fill] ?? 0), 0)
    const netShares = truth.players
      .filter(({ strategy }) => strategy === 'market_maker')
      .map(({ index }) => {
        const net = [...(byTrader[index]?.bought.values() ?? [])].reduce((sum, size) => sum + Math.abs(size), 0)
        return net / turnover(index)
      })
    const mean = netShares.reduce((sum, share) => sum + share, 0) / netShares.length
    expect(mean).toBeGreaterThan(0.25)
    expect(mean).toBeLessThan(0.65)
  })

  test('has copiers, and owners of several wallets, who buy what their leader bought before', () => {
    const { truth } = made
    const all = matches()
    const followers = truth.players.filter(({ leader }) => leader !== null)
    expect(followers.filter(({ group }) => group !== null).length).toBeGreaterThan(8)
    const bought = (trader: number): Match[] =>
      all.filter(({ taker, sign, outcome }) => taker === trader && (sign === 1) === (outcome === 0))
    let n = 0
    for (const { index, leader, delay_s } of followers) {
      const led = bought(leader ?? -1)
      for (const { market, outcome, ts_s } of bought(index)) {
        n++
        const isLed = led.some(
          (each) =>
            each.market === market &&
            each.outcome === outcome &&
            ts_s - each.ts_s <= 1.5 * delay_s + 1 &&
            ts_s >= each.ts_s,
        )
        expect(isLed).toBe(true)
      }
    }
    expect(n).toBeGreaterThan(50)
  })

  test('has wide books, markets that nobody resolves, and makers who split, merge and convert', () => {
    const { world } = made
    expect(world.markets.filter(({ bookHalf }) => bookHalf > 20_000).length).toBeGreaterThan(3)
    const silent = world.markets.filter(
      ({ closedAt_s, resolvedAt_s }) => closedAt_s * 1e6 < world.now && resolvedAt_s * 1e6 > world.endsAt + 2e12,
    )
    expect(silent.length).toBeGreaterThan(0)
    const makers = new Set(
      made.truth.players.filter(({ strategy }) => strategy === 'market_maker').map(({ index }) => index),
    )
    const kinds = new Set(world.activity.filter(({ trader }) => makers.has(trader)).map(({ kind }) => kind))
    for (const kind of ['SPLIT', 'MERGE', 'CONVERSION', 'REDEEM'] as const) expect(kinds).toContain(kind)
  })
})

describe('the truth of a world of roles', () => {
  test('is calibrated: what traders know pays as often as they expect', () => {
    const { world } = made
    const values = matches().flatMap(({ match, market, sign }): [number, number][] => {
      const { payouts, event } = world.markets[market] ?? { payouts: null, event: -1 }
      return payouts === null ? [] : [[event, sign * (payouts[0] / 1e6 - (world.matches.expected[match] ?? 0))]]
    })
    const { mean, se } = clustered(values)
    expect(values.length).toBeGreaterThan(4000)
    expect(Math.abs(mean)).toBeLessThan(4 * se)
    // It says something: the price that was paid does not.
    expect(se).toBeLessThan(0.01)
  })

  test('foretells closes: prices a day later are as expected, and those of the uninformed are not above the price', () => {
    const { world, truth } = made
    const mids = new Map(
      world.prices.ts_s.map((ts_s, row) => [`${world.prices.market[row]} ${ts_s}`, world.prices.fair[row] ?? 0]),
    )
    const gaps: [number, number][] = []
    const gains = { early: [] as [number, number][], gambler: [] as [number, number][] }
    for (const { match, market, ts_s, sign, taker, outcome } of matches()) {
      const { event = -1, closedAt_s = 0 } = world.markets[market] ?? {}
      const close = mids.get(`${market} ${3600 * Math.round(ts_s / 3600 + 24)}`)
      const expected = truth.markout[match] ?? 0
      if (close === undefined || ts_s + 86_400 >= closedAt_s) continue
      gaps.push([event, sign * (close - expected)])
      const { strategy, focus } = truth.players[taker] ?? {}
      const isEverywhere = focus?.category === null && focus.isScheduled === null
      const isPurchase = (sign === 1) === (outcome === 0)
      if ((strategy === 'early' || strategy === 'gambler') && isEverywhere && isPurchase)
        gains[strategy].push([event, sign * (close - (world.matches.fair[match] ?? 0))])
    }
    const { mean, se } = clustered(gaps)
    expect(gaps.length).toBeGreaterThan(2000)
    expect(Math.abs(mean)).toBeLessThan(4 * se)
    expect(clustered(gains.early).mean).toBeGreaterThan(0.01)
    expect(clustered(gains.gambler).mean).toBeLessThan(0.01)
  })
})

describe('a served world of roles', () => {
  let served: ServedWorld
  beforeAll(async () => {
    served = await serveWorld({ world: made.world, clock: () => made.world.now })
  })
  afterAll(() => served.close())

  test('shows the trades of a market by the wire of the venue', async () => {
    const { world } = made
    const market = world.markets.find(
      ({ version, kind, resolvedAt_s }) => version === 'v1' && kind === 'teams' && resolvedAt_s * 1e6 < world.now,
    )
    const taken = matches().filter((each) => each.market === market?.index)
    expect(taken.length).toBeGreaterThan(0)
    const url = `${served.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&condition=${market?.conditionId}&limit=1000`
    const { rows } = await walkFeed(url)
    const walletOf = ({ taker }: Match): string => world.traders[taker]?.wallet ?? ''
    const shown = rows.map((row) => String(row['proxy_wallet']))
    // The exchange itself has rows too.
    for (const wallet of new Set(taken.map(walletOf))) {
      const n = taken.filter((each) => walletOf(each) === wallet).length
      expect(shown.filter((each) => each === wallet).length).toBeGreaterThanOrEqual(n)
    }
    expect(new Set(rows.map((row) => row['condition_id']))).toEqual(new Set([market?.conditionId]))
  })

  test('shows wide books', async () => {
    const { world } = made
    const now_s = world.now / 1e6
    const wide = world.markets.find(
      ({ bookHalf, createdAt_s, closedAt_s }) =>
        bookHalf > 20_000 && createdAt_s < now_s - 86_400 && closedAt_s > now_s,
    )
    const { body } = await ask(`${served.hosts.polymarket_gamma}/markets/${wide?.id}`)
    const { spread } = body as { spread: number }
    expect(spread).toBeGreaterThanOrEqual(0.03)
  })
})
