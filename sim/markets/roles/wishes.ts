import { cell_s } from '#sim/markets/hardship.ts'
import { winnerSlot } from '#sim/markets/trading/information.ts'

import { publicKnowledge } from './exchange.ts'
import type { Strategy } from './habits.ts'
import { playerOf, type Pit } from './pit.ts'
import { lag_s, type Knowledge } from './prices.ts'

const hour_s = 3600
/** How far ahead `early` sees. */
const foresight_s = 6 * hour_s

/** The token that a trader buys now, and what it knows. */
export type Wish = { slot: number; knowledge: Knowledge }

/** What a member that takes wants now in a market, if anything. */
export function wishOf(pit: Pit, member: number, strategy: Strategy, market: number): Wish | null {
  const p = pit.prices.mid(market)
  const { startsAt_s } = pit.floor.plan.draft
  const isInPlay = startsAt_s !== null && pit.floor.now_s >= startsAt_s
  const isPlayer = strategy === 'in_play' || strategy === 'courtsider'
  if (isInPlay !== isPlayer && (isPlayer || !pit.floor.random.chance(0.25))) return null
  const side = plainSide(pit, strategy, market, p)
  if (side !== undefined)
    return side === null ? null : { slot: 2 * market + side, knowledge: publicKnowledge(pit, market) }
  return p < 0.06 || p > 0.94 || isInPlay !== isPlayer ? null : skilledWish(pit, member, strategy, market)
}

/** The outcome that a trader without skill buys; null for none. Undefined for a strategy with skill. */
function plainSide({ floor, prices }: Pit, strategy: Strategy, market: number, p: number): 0 | 1 | null | undefined {
  const moved = p - (prices.dayAgo(market) ?? Number.NaN)
  switch (strategy) {
    case 'momentum':
      return Math.abs(moved) >= 0.05 && p > 0.05 && p < 0.95 ? (moved > 0 ? 0 : 1) : null
    case 'dip':
      return Math.abs(moved) >= 0.03 && p > 0.05 && p < 0.95 ? (moved > 0 ? 1 : 0) : null
    case 'longshot':
      return p > 0.02 && p <= 0.2 ? 0 : p < 0.98 && p >= 0.8 ? 1 : null
    case 'favorite':
      return p > 0.02 && p <= 0.2 ? 1 : p < 0.98 && p >= 0.8 ? 0 : null
    case 'early':
    case 'modeller':
    case 'sniper':
    case 'knower':
    case 'courtsider':
      return undefined
    default:
      if (p < 0.04 || p > 0.96) return null
      // The crowd likes favourites.
      if (floor.random.chance(0.2)) return p > 0.5 ? 0 : 1
      return floor.random.chance(0.5) ? 0 : 1
  }
}

function skilledWish(pit: Pit, member: number, strategy: Strategy, market: number): Wish | null {
  if (strategy === 'knower') return knowingWish(pit, market)
  const { floor, prices } = pit
  const mid = prices.mid(market)
  const until_s = sightOf(pit, strategy)
  if (until_s === null) return null
  const chance = prices.chance(market, until_s)
  const error = strategy === 'modeller' ? playerOf(pit, member).blur * floor.random.normal() : 0
  const gain = prices.fairPrice(market, chance, floor.now_s) + error - mid
  const { bookHalf = 0, feeRate = 0 } = floor.plan.markets[market] ?? {}
  const least = 0.018 + (1.2 * bookHalf) / 1e6 + feeRate * mid * (1 - mid)
  if (Math.abs(gain) < least) return null
  return { slot: 2 * market + (gain > 0 ? 0 : 1), knowledge: { chance, until_s, winner: null } }
}

/** Until when a trader has the news; null if it has nothing that is not in the price. */
function sightOf({ floor: { now_s, plan } }: Pit, strategy: Strategy): number | null {
  const { startsAt_s, playsAt_s } = plan.draft
  if (strategy === 'modeller') return now_s - lag_s
  if (strategy === 'courtsider') return now_s + cell_s
  if (strategy === 'sniper') return now_s % cell_s < lag_s ? now_s : null
  const start_s = startsAt_s === null ? Infinity : Math.max(startsAt_s, playsAt_s ?? 0) - cell_s
  return Math.max(now_s, Math.min(now_s + foresight_s, start_s))
}

/** Of events with two outcomes some know the result well before it is public. */
function knowingWish(pit: Pit, market: number): Wish | null {
  const { draft, markets } = pit.floor.plan
  const { now_s } = pit.floor
  const isLate = now_s > draft.createdAt_s + 0.4 * (draft.closedAt_s - draft.createdAt_s)
  const winner = winnerSlot(markets[market]?.result)
  if (draft.shape.isNegRisk || draft.byDate !== null || winner === null || !isLate) return null
  const mid = pit.prices.mid(market)
  if ((winner === 0 ? mid : 1 - mid) > 0.85) return null
  return { slot: 2 * market + winner, knowledge: { ...publicKnowledge(pit, market), winner } }
}
