import type { Fill, Market } from './inputs.ts'

export type Role = 'market_maker' | 'poster' | 'taker'
/** How a trader gets its fills: the role by exact shares, both shares to six places. */
export type Style = { role: Role; both: number; net: number; made: number | null }

const six = (value: number): number => Math.round(value * 1e6) / 1e6

/** The style of each trader with a fill. */
export function stylesOf(fills: readonly Fill[], markets: ReadonlyMap<string, Market>): Map<string, Style> {
  type Sums = { maker: number; roles: number; moves: Map<string, { up: number; down: number }> }
  const traders = new Map<string, Sums>()
  for (const fill of fills) {
    const sums = traders.get(fill.trader) ?? { maker: 0, roles: 0, moves: new Map() }
    traders.set(fill.trader, sums)
    if (fill.role !== null) sums.roles += fill.cash
    if (fill.role === 'maker') sums.maker += fill.cash
    const move = sums.moves.get(fill.market) ?? { up: 0, down: 0 }
    sums.moves.set(fill.market, move)
    const isSecond = fill.outcome === 1 && markets.get(fill.market)?.n_outcomes === 2
    if ((fill.side === 'buy') !== isSecond) move.up += fill.size
    else move.down += fill.size
  }
  const styles = new Map<string, Style>()
  for (const [trader, { maker, roles, moves }] of traders) {
    const list = [...moves.values()]
    const shares = list.reduce((sum, { up, down }) => sum + up + down, 0)
    const both = list.filter(({ up, down }) => up > 0 && down > 0).length / list.length
    const net = shares === 0 ? 0 : list.reduce((sum, { up, down }) => sum + Math.abs(up - down), 0) / shares
    const made = roles === 0 ? null : maker / roles
    const isMaker = both >= 0.5 && (made === null ? net <= 0.2 : made >= 0.7)
    const role = isMaker ? 'market_maker' : made !== null && made >= 0.5 ? 'poster' : 'taker'
    styles.set(trader, { role, both: six(both), net: six(net), made: made === null ? null : six(made) })
  }
  return styles
}
