import type { Market } from '#test/oracle/blind/facts.ts'
import { grouped, sumOf, wholeRatio } from '#test/oracle/blind/numbers.ts'
import { isTurned } from '#test/oracle/blind/prints.ts'
import { HOUR } from '#time.ts'

import type { TraderFacts } from './facts.ts'
import type { Account } from './ledger.ts'
import type { Rules } from './rules.ts'

/** Money of a trader beside the realized results, in millionths of a US dollar. */
export type Balance = {
  trader: string
  openCost: number
  unrealized: number
  n_unpriced: number
  income: number
  combo: number
  n_combo_fills: number
}

export function balancesOf(facts: TraderFacts, accounts: readonly Account[], rules: Rules): Balance[] {
  const odds = oddsOf(facts, rules)
  const moves = grouped(facts.moves, ({ trader }) => trader)
  const combos = grouped(facts.combos, ({ trader }) => trader)
  return accounts.map(({ trader, lives }) => {
    const held = [...lives.values()]
      .filter(({ market }) => market.resolvedAt === null)
      .flatMap(({ market, holdings }) =>
        holdings.map(({ size, cost }, outcome) => ({
          size,
          cost,
          price: priceOf(odds(market), outcome, holdings.length),
        })),
      )
      .filter(({ size }) => size > 0)
    const priced = held.flatMap(({ size, cost, price }) => (price === null ? [] : { size, cost, price }))
    const kinds = rules.income === 'all cash' ? ['reward', 'rebate', 'deposit'] : ['reward', 'rebate']
    const income = (moves.get(trader) ?? []).filter(({ kind }) => kinds.includes(kind))
    const own = combos.get(trader) ?? []
    return {
      trader,
      openCost: sumOf(held, ({ cost }) => cost),
      unrealized: sumOf(priced, ({ size, cost, price }) => wholeRatio(size, price, 1_000_000) - cost),
      n_unpriced: held.length - priced.length,
      income: sumOf(income, ({ cash }) => cash ?? 0),
      combo: sumOf(own, ({ side, cash, fee }) => (side === 'buy' ? -cash - fee : cash - fee)),
      n_combo_fills: own.length,
    }
  })
}

/** Outcomes 1, 2 … of a larger market have no price. */
function priceOf(yes: number | null, outcome: number, n: number): number | null {
  if (yes === null || outcome === 0) return yes
  return n === 2 ? 1_000_000 - yes : null
}

/** A book has a midpoint up to a spread of 0.10; above 0.01 it is also no wider than its middle is from 0 and 1. */
function isNarrow({ low, high }: { low: number; high: number }): boolean {
  const spread = high - low
  return spread <= 100_000 && (spread <= 10_000 || 2 * spread <= Math.min(low + high, 2_000_000 - low - high))
}

/** The price of outcome 0 of an open market at the clock, in millionths; null without one. */
type Odds = (market: Market) => number | null

function oddsOf(facts: TraderFacts, { prices }: Rules): Odds {
  const { at, fills, quotes, shown } = facts
  const books = new Map([...grouped(quotes, ({ marketId }) => marketId)].map(([id, rows]) => [id, rows.at(-1)]))
  const takers = fills.filter(({ role }) => role === 'taker').toSorted((a, b) => a.ts - b.ts)
  const trades = grouped(takers, ({ market }) => market.id)
  return (market) => {
    const [book, trade] = [books.get(market.id), trades.get(market.id)?.at(-1)]
    const isFresh = book !== undefined && (book.ts >= at - HOUR || book.ts >= (trade?.ts ?? 0))
    const { bid, ask } = isFresh && !facts.closed.has(market.id) ? book : { bid: null, ask: null }
    const isCrossed = bid !== null && ask !== null && bid > ask
    const bounds = isCrossed ? { low: 0, high: 1e6 } : { low: bid ?? 0, high: ask ?? 1e6 }
    if (prices === 'book' && isNarrow(bounds)) return Math.floor((bounds.low + bounds.high + 1) / 2)
    const last =
      trade !== undefined && trade.ts > at - 24 * HOUR ? (isTurned(trade) ? 1e6 - trade.price : trade.price) : null
    const venue = shown.get(market.id)
    // A shown 0.50 of a market without liquidity and without a last price stands for no price.
    const isEmpty = venue?.price === 500_000 && (venue.liquidity ?? 0) === 0 && venue.last === null
    const candidates = [last, isEmpty ? null : (venue?.price ?? venue?.last ?? null)].flatMap((price) => price ?? [])
    const within = candidates.find((price) => price >= bounds.low && price <= bounds.high)
    if (within !== undefined || candidates.length === 0) return within ?? null
    return (candidates[0] ?? 0) < bounds.low ? bounds.low : bounds.high
  }
}
