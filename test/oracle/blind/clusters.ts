import { HOUR } from '#time.ts'

import type { ClvFill } from './fills.ts'
import { dayOf, grouped, sumOf } from './numbers.ts'
import type { Rules } from './rules.ts'

export type Range = '30d' | '90d' | 'all'
export const ranges: readonly Range[] = ['30d', '90d', 'all']

/**
 * The scored fills of a trader, kind and range in a category and on a day of closes; `risk` and `made` in US dollars.
 */
export type Cluster = {
  trader: string
  kind: string
  range: Range
  category: string
  day: number
  key: string
  risk: number
  made: number
  edge: number
  variance: number
  n_fills: number
  n_resolved: number
}

/** Whether a range has a fill; nothing of the fills is known after the clock. */
export function isWithin(one: ClvFill, range: Range, at: number, { rangeBy }: Rules): boolean {
  const ts = rangeBy === 'close' ? one.closeAt : one.fill.ts
  return range === 'all' || ts > at - (range === '90d' ? 2160 : 720) * HOUR
}

export const clusterOf = ({ fill, closeAt }: ClvFill, { clusterBy }: Rules): string =>
  clusterBy === 'day' ? `${fill.market.category} ${dayOf(closeAt)}` : fill.market.eventId

export function clustersOf(fills: readonly ClvFill[], at: number, rules: Rules): Cluster[] {
  const scored = fills.filter(({ leftOut }) => leftOut === null)
  return ranges.flatMap((range) => {
    const own = scored.filter((one) => isWithin(one, range, at, rules))
    const groups = grouped(own, (one) => JSON.stringify([one.fill.trader, one.kind, clusterOf(one, rules)]))
    return [...groups.values()]
      .filter((group) => sumOf(group, ({ risk }) => risk) > 0)
      .map((group) => sumUp(group, range, rules))
  })
}

function sumUp(group: readonly ClvFill[], range: Range, rules: Rules): Cluster {
  const [first] = group
  if (first === undefined) throw new RangeError('cluster: no fills; expected one or more')
  const risk = sumOf(group, (one) => one.risk)
  const weighted = (of: (one: ClvFill) => number): number => sumOf(group, (one) => one.risk * of(one)) / risk
  return {
    trader: first.fill.trader,
    kind: first.kind,
    range,
    category: first.fill.market.category,
    day: dayOf(first.closeAt),
    key: clusterOf(first, rules),
    risk: risk / 1e6,
    made: sumOf(group, (one) => (one.fill.role === 'maker' ? one.risk : 0)) / 1e6,
    edge: weighted(({ edge }) => edge ?? Number.NaN),
    variance: weighted(({ fill }) => (fill.price / 1e6) * (1 - fill.price / 1e6)),
    n_fills: group.length,
    n_resolved: group.filter(({ isResolved }) => isResolved).length,
  }
}
