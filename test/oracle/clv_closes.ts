import type { Micros } from '#lake/columns.ts'

import { roundHalfAway } from './round.ts'

/** A participant's side of a match. Amounts are millionths of a US dollar or a share; `cash` is before the fee. */
export type Fill = {
  trader: string
  event: string
  market: string
  outcome: number
  ts: Micros
  tx: string
  side: 'buy' | 'sell'
  price: bigint
  size: bigint
  cash: bigint
  fee: bigint
  /** Null where the history does not tell it: such a fill is scored, but is nobody's price. */
  role: 'maker' | 'taker' | null
}

/** `starts_at`: a start, release or deadline known beforehand. */
export type Market = { market: string; n_outcomes: number; starts_at: Micros | null }

/** A recorded midpoint of outcome 0, in millionths of a US dollar. */
export type Quote = { market: string; ts: Micros; mid: bigint }

export type Kind = 'event_start' | 'markout_24h'
export type Close = { kind: Kind; opens_at: Micros; close_at: Micros; ends_at: Micros }

const minute: Micros = 60_000_000
const hour = 60 * minute
const share = 1_000_000n
const least_cash = 100n * 1_000_000n

/** The close that a fill is held against: when its window opens and ends, and the instant that stands for it. */
export function closeOf(fill: Fill, market: Market): Close {
  const { starts_at } = market
  if (starts_at !== null)
    return { kind: 'event_start', opens_at: starts_at - 15 * minute, close_at: starts_at, ends_at: starts_at }
  const { ts } = fill
  return { kind: 'markout_24h', opens_at: ts + 23 * hour, close_at: ts + 24 * hour, ends_at: ts + 25 * hour }
}

/** The price of the fill's own token at its close, without the trader's own part; null where nothing tells it. */
export function closePrice(fill: Fill, market: Market, close: Close, fills: Fill[], quotes: Quote[]): bigint | null {
  const inside = fills.filter((each) => each.market === fill.market && isInside(close, each.ts))
  const { cash, size } = ofOthers(inside, fill, market)
  if (cash >= least_cash && size > 0n) return roundHalfAway(cash * share, size)

  const recorded = quotes.filter((each) => each.market === fill.market && isInside(close, each.ts))
  const last = recorded.toSorted((a, b) => a.ts - b.ts).at(-1)
  if (last === undefined || fill.outcome >= 2 || market.n_outcomes !== 2) return null
  return fill.outcome === 0 ? last.mid : share - last.mid
}

const isInside = ({ opens_at, ends_at }: Close, ts: Micros): boolean => opens_at <= ts && ts <= ends_at

/** What others matched among themselves in the fill's token: each match once, as its taker's row has it. */
function ofOthers(fills: Fill[], { trader, outcome }: Fill, { n_outcomes }: Market): { cash: bigint; size: bigint } {
  let cash = 0n
  let size = 0n
  const taken = fills.filter((each) => each.role === 'taker' && each.trader !== trader)
  for (const each of taken) {
    if (each.outcome !== outcome) continue
    cash += each.cash
    size += each.size
  }
  for (const made of fills.filter((each) => each.role === 'maker' && each.trader === trader)) {
    const match = taken.filter((each) => each.tx === made.tx)
    // Where two buyers are matched, the taker's row is in the other token: the maker's price there is what is left of 1.
    const isDirect = match.some((each) => each.outcome === made.outcome)
    const isComplement = !isDirect && n_outcomes === 2 && match.length > 0
    if (isDirect && made.outcome === outcome) {
      cash -= made.cash
      size -= made.size
    }
    if (isComplement && made.outcome !== outcome) {
      cash -= made.size - made.cash
      size -= made.size
    }
  }
  return { cash, size }
}
