import { grouped, sumOf, wholeRatio } from '#test/oracle/blind/numbers.ts'
import { cashOf } from '#test/oracle/blind/prints.ts'
import { HOUR } from '#time.ts'

import { isOfVolume, isOut, type Account, type Life } from './ledger.ts'
import type { Rules } from './rules.ts'

export type Range = '30d' | '90d' | 'all'
export const ranges: readonly Range[] = ['30d', '90d', 'all']

/** A trader's result in a market over all time. Money is in millionths of a US dollar. */
export type Outcome = {
  trader: string
  life: Life
  pnl: number
  cost: number
  volume: number
  made: number
  entryPrice: number | null
  closedAt: number | null
}

/** A trader's result over a range. Shares are whole millionths. */
export type Result = {
  trader: string
  range: Range
  realized: number
  volume: number
  n_markets: number
  n_closed: number
  n_won: number
  winRate: number
  shrunk: number
  lower: number
  expected: number | null
  roi: number | null
}

export const isWithin = (ts: number, range: Range, at: number): boolean =>
  ts <= at && (range === 'all' || ts > at - (range === '90d' ? 2160 : 720) * HOUR)

export function outcomesOf({ trader, lives }: Account, rules: Rules): Outcome[] {
  return [...lives.values()].map((life) => {
    const { fills } = life
    const bought = fills.filter(({ side }) => side === 'buy')
    const size = sumOf(bought, (fill) => fill.size)
    return {
      trader,
      life,
      pnl: sumOf(life.realized, ({ pnl }) => pnl),
      cost: life.paidIn,
      volume: sumOf(fills.filter(isOfVolume), cashOf),
      made: sumOf(
        fills.filter(isOfVolume).filter(({ role }) => role === 'maker'),
        cashOf,
      ),
      entryPrice: size === 0 ? null : wholeRatio(sumOf(bought, cashOf), 1_000_000, size),
      closedAt: closedAtOf(life, rules),
    }
  })
}

/** The resolution, or the last sale of a trader who left before. */
function closedAtOf(life: Life, { closedBy }: Rules): number | null {
  const { resolvedAt } = life.market
  if (resolvedAt === null) return isOut(life) ? life.lastOut : null
  return closedBy === 'last sale' && life.wasOutAtResolution && life.lastOut !== null
    ? Math.min(life.lastOut, resolvedAt)
    : resolvedAt
}

/** The results of all traders over all ranges. */
export function resultsOf(
  accounts: readonly Account[],
  outcomes: readonly Outcome[],
  at: number,
  rules: Rules,
): Result[] {
  const byTrader = grouped(outcomes, ({ trader }) => trader)
  return ranges.flatMap((range) => {
    const counted = accounts.map(({ trader, fills }) => {
      const own = byTrader.get(trader) ?? []
      const traded = fills.filter(({ ts }) => isWithin(ts, range, at))
      const closed = own.filter(
        ({ closedAt, cost }) => closedAt !== null && isWithin(closedAt, range, at) && cost >= rules.leastCost,
      )
      const realizedOf = ({ life }: Outcome): number =>
        sumOf(
          life.realized.filter(({ ts }) => isWithin(ts, range, at)),
          ({ pnl }) => pnl,
        )
      const won = closed.filter((one) => (rules.winsBy === 'life' ? one.pnl : realizedOf(one)) > 0)
      const realized = sumOf(own, realizedOf)
      return { trader, own, traded, closed, realized, n_closed: closed.length, n_won: won.length }
    })
    const rate = sumOf(counted, (one) => one.n_won) / sumOf(counted, (one) => one.n_closed)
    return counted.map(({ trader, traded, closed, realized, n_closed, n_won }): Result => {
      const priced = closed.flatMap(({ entryPrice }) => entryPrice ?? [])
      return {
        trader,
        range,
        realized,
        volume: sumOf(traded.filter(isOfVolume), cashOf),
        n_markets: new Set(traded.map(({ market }) => market.id)).size,
        n_closed,
        n_won,
        winRate: n_closed === 0 ? 0 : n_won / n_closed,
        shrunk: (n_won + 10 * rate) / (n_closed + 10),
        lower: wilson(n_won, n_closed),
        expected:
          priced.length === 0
            ? null
            : wholeRatio(
                sumOf(priced, (price) => price),
                1,
                priced.length,
              ),
        roi: n_closed === 0 ? null : sumOf(closed, ({ pnl }) => pnl) / sumOf(closed, ({ cost }) => cost),
      }
    })
  })
}

/** Wilson's lower 95 % bound. */
function wilson(won: number, n: number): number {
  if (n === 0) return 0
  const [p, z] = [won / n, 1.959964]
  const half = z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))
  return (p + z ** 2 / (2 * n) - half) / (1 + z ** 2 / n)
}
