import { ledgersOf } from '#sim/markets/ledger_entries.ts'
import { truth } from '#sim/markets/true_ledger.ts'
import type { World } from '#sim/markets/types.ts'

/** A fill of a market, as the world has it. Money and shares in millionths. */
export type TrueFill = {
  market: string
  outcome: 0 | 1
  trader: string
  ts_s: number
  isBuy: boolean
  isTaker: boolean
  size: bigint
  cash: bigint
}

/** The fills of traders by the end of the world's past, without combos and system addresses. */
export function trueFills(world: World): TrueFill[] {
  const { matches, fills } = world
  const found: TrueFill[] = []
  for (let match = 0; match < matches.length; match++) {
    const market = world.markets[matches.market[match] ?? -1]
    const ts_s = matches.ts_s[match] ?? Infinity
    if (market === undefined || ts_s > world.now / 1e6) continue
    for (let fill = matches.firstFill[match] ?? 0; fill < (matches.firstFill[match + 1] ?? 0); fill++) {
      const trader = world.traders[fills.trader[fill] ?? -1]?.wallet
      if (trader === undefined) continue
      found.push({
        market: `polymarket:${market.conditionId}`,
        outcome: fills.outcome[fill] === 0 ? 0 : 1,
        trader,
        ts_s,
        isBuy: fills.side[fill] === 0,
        isTaker: fills.isTaker[fill] === 1,
        size: BigInt(fills.size[fill] ?? 0),
        cash: BigInt(fills.cash[fill] ?? 0),
      })
    }
  }
  return found
}

/** The payouts of the resolved markets, in millionths, by market. */
export const truePayouts = (world: World): Map<string, readonly [number, number]> =>
  new Map(
    world.markets.flatMap(({ conditionId, payouts, resolvedAt_s }) =>
      payouts === null || resolvedAt_s > world.now / 1e6 ? [] : [[`polymarket:${conditionId}`, payouts] as const],
    ),
  )

/** The shares of each `<wallet> <label>` in a market at an instant before its resolution. */
export function trueHolders(world: World, marketId: string, at_s: number): Map<string, bigint> {
  const market = world.markets.find(({ conditionId }) => `polymarket:${conditionId}` === marketId)
  const held = new Map<string, bigint>()
  for (const [trader, entries] of ledgersOf(world, at_s)) {
    for (const entry of entries) {
      if (!('market' in entry) || entry.market !== market?.index || !('size' in entry)) continue
      const size = entry.kind === 'buy' || entry.kind === 'split' ? entry.size : -entry.size
      for (const outcome of 'outcome' in entry ? [entry.outcome] : ([0, 1] as const)) {
        const key = `${world.traders[trader]?.wallet} ${market.labels[outcome]}`
        held.set(key, (held.get(key) ?? 0n) + size)
      }
    }
  }
  return new Map([...held].filter(([, size]) => size > 0n))
}

/** The realized result of a trader by the end of a UTC day, in millionths. */
export const trueEquity = (world: World, trader: string, day: string): bigint | undefined => {
  const end = (Date.parse(day) + 86_400_000) * 1000 - 1
  return truth(world, Math.min(end, world.now)).get(trader)?.pnl.all
}

/**
 * The result of a trader in its resolved markets by category, in millionths, from the cash alone: received minus paid,
 * plus the payout of the shares that were not redeemed.
 */
export function trueCategories(world: World, wallet: string): Map<string, bigint> {
  const trader = world.traders.findIndex((one) => one.wallet === wallet)
  const lives = new Map<number, { cash: bigint; held: [bigint, bigint] }>()
  for (const entry of ledgersOf(world, world.now / 1e6).get(trader) ?? []) {
    if (!('market' in entry) || entry.kind === 'resolution') continue
    const life = lives.get(entry.market) ?? { cash: 0n, held: [0n, 0n] }
    lives.set(entry.market, life)
    if (entry.kind === 'redemption') Object.assign(life, { cash: life.cash + entry.cash, held: [0n, 0n] })
    else if ('outcome' in entry) {
      const sign = entry.kind === 'buy' ? 1n : -1n
      life.cash -= sign * entry.cash + entry.fee
      life.held[entry.outcome] += sign * entry.size
    } else {
      const sign = entry.kind === 'split' ? 1n : -1n
      life.cash -= sign * entry.size
      life.held = [life.held[0] + sign * entry.size, life.held[1] + sign * entry.size]
    }
  }
  const payouts = truePayouts(world)
  const results = new Map<string, bigint>()
  for (const [index, { cash, held }] of lives) {
    const market = world.markets[index]
    const paid = payouts.get(`polymarket:${market?.conditionId}`)
    if (market === undefined || paid === undefined) continue
    const value = (held[0] * BigInt(paid[0]) + held[1] * BigInt(paid[1])) / 1_000_000n
    const category = world.events[market.event]?.category.toLowerCase() ?? 'none'
    results.set(category, (results.get(category) ?? 0n) + cash + value)
  }
  return results
}
