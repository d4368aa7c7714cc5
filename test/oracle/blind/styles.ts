import type { Facts, Fill } from './facts.ts'
import { grouped, sumOf } from './numbers.ts'
import { cashOf } from './prints.ts'

export type Role = 'taker' | 'poster' | 'market_maker'
/** The role of a trader, and the shares that its mean follows from, to six places. */
export type Style = { role: Role; bothSides: number; net: number }

/** How each trader gets its fills, without trades of the trader with itself. */
export function stylesOf(facts: Facts, makerShare = 0.7): Map<string, Style> {
  const fills = facts.fills.filter(({ isSystem, trader }) => !isSystem && trader !== '')
  const deals = grouped(fills, ({ trader, tx, market }) => JSON.stringify([trader, tx, market.id]))
  const others = [...deals.values()].filter((own) => !isSelf(own))
  return new Map(
    [...grouped(others.flat(), ({ trader }) => trader)].map(([trader, own]) => [trader, styleOf(own, makerShare)]),
  )
}

const isSelf = (own: readonly Fill[]): boolean =>
  own.some(({ role }) => role === 'maker') && own.some(({ role }) => role === 'taker')

function styleOf(fills: readonly Fill[], makerShare: number): Style {
  const markets = [...grouped(fills, ({ market }) => market.id).values()].map((own) => {
    const moves = own.map(({ side, outcome, size, market }) =>
      (side === 'buy') === (market.tokenIds.length !== 2 || outcome === 0) ? size : -size,
    )
    return {
      isBoth: moves.some((move) => move > 0) && moves.some((move) => move < 0),
      net: Math.abs(sumOf(moves, (move) => move)),
      turnover: sumOf(moves, Math.abs),
    }
  })
  const known = sumOf(
    fills.filter(({ role }) => role !== null),
    cashOf,
  )
  const made = sumOf(
    fills.filter(({ role }) => role === 'maker'),
    cashOf,
  )
  const [net, turnover] = [sumOf(markets, (one) => one.net), sumOf(markets, (one) => one.turnover)]
  const bothSides = markets.filter(({ isBoth }) => isBoth).length / markets.length
  const netShare = turnover === 0 ? 0 : net / turnover
  const isMaking = known > 0 ? made / known >= makerShare : netShare <= 0.2
  const isResting = known > 0 && made / known >= 0.5
  return {
    role: bothSides >= 0.5 && isMaking ? 'market_maker' : isResting ? 'poster' : 'taker',
    bothSides: sixPlaces(bothSides),
    net: sixPlaces(netShare),
  }
}

const sixPlaces = (share: number): number => Math.round(1e6 * share) / 1e6
