import { systemAddresses } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'

import type { WireRow } from './all_pages.ts'

/** The world that the tests of the hosts serve, and what is known of it without asking them. */
export const world = createWorld({ seed: 5, scale: 0.02 })
export const now_s = world.now / 1e6
export const known = world.markets.filter((market) => market.createdAt_s <= now_s)

export const idsOf = (rows: WireRow[], key: string): string[] => rows.map((row) => String(row[key])).toSorted()

/** A row's natural key; rows that differ in nothing stay several. */
export function keysOf(rows: WireRow[]): string[] {
  const key = (row: WireRow) =>
    [
      row['proxy_wallet'],
      row['token_id'],
      row['side'],
      Math.round(Number(row['size']) * 1e6),
      row['price'],
      row['timestamp'],
    ].join()
  return rows.map(key).toSorted()
}

export function keyOfFill(fill: number): string {
  const { fills, matches } = world
  const match = fills.match[fill] ?? 0
  const market = world.markets[matches.market[match] ?? -1]
  const token =
    market?.tokenIds[fills.outcome[fill] ?? 0] ?? world.combos.find((combo) => combo.match === match)?.tokenId
  const trader = fills.trader[fill] ?? 0
  const address = world.traders[trader]?.wallet ?? systemAddresses[-1 - trader]
  const [size, cash] = [fills.size[fill] ?? 0, fills.cash[fill] ?? 0]
  return [address, token, fills.side[fill] === 0 ? 'BUY' : 'SELL', size, cash / size, matches.ts_s[match]].join()
}

function fillsBy(isWanted: (fill: number) => boolean): number[] {
  const { fills, matches } = world
  return Array.from({ length: fills.length }, (_, fill) => fill).filter(
    (fill) => (matches.ts_s[fills.match[fill] ?? 0] ?? Infinity) <= now_s && isWanted(fill),
  )
}

export function fillsOf(trader: number): number[] {
  return fillsBy((fill) => world.fills.trader[fill] === trader)
}

export function fillsIn(market: number): number[] {
  return fillsBy((fill) => world.matches.market[world.fills.match[fill] ?? 0] === market)
}

export function cashMoved(fill: number): number {
  const [cash, fee] = [world.fills.cash[fill] ?? 0, world.fills.fee[fill] ?? 0]
  return world.fills.side[fill] === 0 ? cash + fee : cash - fee
}

/** Dollars of the takers' rows of the last 24 hours. */
export function dayVolume(market: number): number {
  const own = fillsIn(market).filter((fill) => world.fills.isTaker[fill] === 1 && (world.fills.trader[fill] ?? -1) >= 0)
  const recent = own.filter((fill) => (world.matches.ts_s[world.fills.match[fill] ?? 0] ?? 0) > now_s - 86_400)
  return recent.reduce((sum, fill) => sum + (world.fills.cash[fill] ?? 0), 0) / 1e6
}
