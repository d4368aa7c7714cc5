import type { Facts, Fill } from './facts.ts'
import { midpointsOf, type Midpoints } from './midpoints.ts'
import { wholeRatio } from './numbers.ts'
import { bookOf, cashOf, isTurned, printsOf, tradedByOthers, type Print } from './prints.ts'
import type { Rules } from './rules.ts'

export type Kind = 'event_start' | 'markout_24h'

/** A fill of a kind; `edge` in points, `risk` and `closePrice` in millionths. */
export type ClvFill = {
  fill: Fill
  kind: Kind
  closeAt: number
  closePrice: number | null
  edge: number | null
  risk: number
  isResolved: boolean
  leftOut: string | null
}

/** The instant at which a fill closes; `readAt` is the instant at which the book is read. */
type Close = {
  closeAt: number
  window: { from: number; to: number }
  isKnown: boolean
  readAt: number
  isStart: boolean
  isInPlay: boolean
  isResolved: boolean
}

const minute = 60_000_000
const hour = 60 * minute

/** The fills of each kind with their closes. */
export function clvFillsOf(facts: Facts, rules: Rules): ClvFill[] {
  const [prints, midpoints] = [printsOf(facts), midpointsOf(facts, rules)]
  const fills = facts.fills.filter(({ isSystem }) => !isSystem)
  const roles = new Map<string, Set<string | null>>()
  for (const fill of fills) roles.set(setOf(fill), (roles.get(setOf(fill)) ?? new Set()).add(fill.role))
  const found: ClvFill[] = []
  for (const fill of fills.filter(({ trader, size }) => trader !== '' && size > 0)) {
    const own = roles.get(setOf(fill))
    const isSelf = own !== undefined && own.has('maker') && own.has('taker')
    for (const kind of ['event_start', 'markout_24h'] as const) {
      const close = kind === 'event_start' ? closeOfStart(fill, facts.at) : closeOfMarkout(fill, facts.at)
      if (close === null) continue
      const isOver = close.isInPlay || fill.ts >= (fill.market.resolvedAt ?? Infinity)
      const isPriced = close.isKnown && !(kind === 'markout_24h' && isOver)
      const isDropped = rules.earlyEnds === 'dropped' && close.isResolved
      const closePrice = isPriced && !isDropped ? priceOf({ fill, kind, close, prints, midpoints, rules }) : null
      found.push(scored({ fill, kind, close, closePrice, isSelf }))
    }
  }
  return found
}

const setOf = ({ trader, tx, market }: Fill): string => JSON.stringify([trader, tx, market.id])

function closeOfStart({ ts, market }: Fill, at: number): Close | null {
  const { startsAt: start, resolvedAt } = market
  if (start === null) return null
  return {
    closeAt: start,
    window: { from: start - 15 * minute, to: start },
    isKnown: start <= at,
    readAt: resolvedAt !== null && resolvedAt <= start ? resolvedAt - 1 : start,
    isStart: start - 15 * minute <= ts && ts < start,
    isInPlay: ts >= start,
    isResolved: false,
  }
}

function closeOfMarkout({ ts, market }: Fill, at: number): Close {
  const { startsAt, resolvedAt } = market
  const start = startsAt ?? Infinity
  const isKnown = ts + 25 * hour <= at
  if (resolvedAt !== null && ts < resolvedAt && resolvedAt <= ts + 25 * hour) {
    return {
      closeAt: resolvedAt,
      window: { from: resolvedAt - 2 * hour, to: resolvedAt },
      isKnown,
      readAt: resolvedAt - 1,
      isStart: ts >= resolvedAt - 2 * hour,
      isInPlay: resolvedAt >= start,
      isResolved: true,
    }
  }
  return {
    closeAt: ts + 24 * hour,
    window: { from: ts + 23 * hour, to: ts + 25 * hour },
    isKnown,
    readAt: ts + 24 * hour,
    isStart: false,
    isInPlay: ts + 25 * hour >= start,
    isResolved: false,
  }
}

type Priced = {
  fill: Fill
  kind: Kind
  close: Close
  prints: ReadonlyMap<string, readonly Print[]>
  midpoints: Midpoints
  rules: Rules
}

/** The price of others in the window, otherwise the midpoint of the book. */
function priceOf({ fill, kind, close, prints, midpoints, rules }: Priced): number | null {
  const own = rules.ownFills === 'counted' ? null : fill.trader
  const { size, cash, takers } = tradedByOthers(prints.get(bookOf(fill)) ?? [], close.window, own)
  const isThick =
    rules.threshold === 'shares' ? size >= 200_000_000 : (isTurned(fill) ? size - cash : cash) >= 100_000_000
  if (size > 0 && isThick && takers >= rules.leastTakers) {
    if (cash >= 0 && cash <= size) {
      const price = wholeRatio(cash, 1_000_000, size)
      return isTurned(fill) ? 1_000_000 - price : price
    }
    if (kind === 'markout_24h') return null
  }
  if (fill.outcome > 0 && fill.market.tokenIds.length > 2) return null
  const mid = midpoints(fill.market, close.readAt, close.window.from)
  if (mid === null) return null
  return isTurned(fill) ? 1_000_000 - mid : mid
}

type Unscored = { fill: Fill; kind: Kind; close: Close; closePrice: number | null; isSelf: boolean }

function scored({ fill, kind, close, closePrice, isSelf }: Unscored): ClvFill {
  const [cash, fee] = [cashOf(fill), fill.fee ?? 0]
  const isBuy = fill.side === 'buy'
  const { closeAt, isResolved } = close
  let leftOut: string | null = null
  if (close.isInPlay) leftOut = 'in_play'
  else if (close.isStart) leftOut = 'start'
  else if (fill.price < 20_000 || fill.price > 980_000) leftOut = 'extreme'
  else if (closePrice === null) leftOut = 'no_close'
  else if (isSelf) leftOut = 'self'
  const price = (isBuy ? cash + fee : cash - fee) / fill.size
  const gain = closePrice === null ? 0 : 100 * (closePrice / 1e6 - price)
  const edge = leftOut === null ? (isBuy ? gain : -gain) : null
  const risk = isBuy ? cash + fee : fill.size - cash + fee
  return { fill, kind, closeAt, closePrice, edge, risk, isResolved, leftOut }
}
