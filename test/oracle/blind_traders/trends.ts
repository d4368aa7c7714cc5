import { grouped, sumOf, wholeRatio } from '#test/oracle/blind/numbers.ts'
import { bookOf, cashOf, isTurned, printsOf } from '#test/oracle/blind/prints.ts'
import { DAY } from '#time.ts'

import type { Fill, TraderFacts } from './facts.ts'

/** The cost of a purchase with its fee, and the prices of its outcome before it, in millionths. */
export type Trend = { fill: Fill; stake: number; before: number | null; dayBefore: number | null }

/** The price of each instant of a book, in the order of time. */
type Tape = { ts: number; price: number }[]

/** The trend of each purchase. */
export function trendsOf(facts: TraderFacts): Map<string, Trend[]> {
  const tapes = new Map([...printsOf(facts)].map(([book, prints]) => [book, tapeOf(prints)]))
  const bought = facts.fills.filter(({ side, trader, isSystem }) => side === 'buy' && trader !== '' && !isSystem)
  const trends = bought.map((fill): Trend => {
    const tape = tapes.get(bookOf(fill)) ?? []
    const priceAt = (ts: number): number | null => {
      const price = lastUntil(tape, ts)
      return price === null || !isTurned(fill) ? price : 1_000_000 - price
    }
    return {
      fill,
      stake: cashOf(fill) + (fill.fee ?? 0),
      before: priceAt(fill.ts - 1),
      dayBefore: priceAt(fill.ts - DAY),
    }
  })
  return grouped(trends, ({ fill }) => fill.trader)
}

function tapeOf(prints: readonly { ts: number; taken: { size: number; cash: number } }[]): Tape {
  return [...grouped(prints, ({ ts }) => String(ts)).values()].flatMap((own) => {
    const [size, cash] = [sumOf(own, ({ taken }) => taken.size), sumOf(own, ({ taken }) => taken.cash)]
    return size > 0 ? [{ ts: own[0]?.ts ?? 0, price: wholeRatio(cash, 1_000_000, size) }] : []
  })
}

function lastUntil(tape: Tape, ts: number): number | null {
  let [low, high] = [0, tape.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((tape[middle]?.ts ?? Infinity) <= ts) low = middle + 1
    else high = middle
  }
  return tape[low - 1]?.price ?? null
}
