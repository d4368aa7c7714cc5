import type { Facts, Fill } from './facts.ts'
import { grouped, wholeRatio } from './numbers.ts'

/** The net rows of a trader for one book, instant and transaction, without trades with itself. */
export type Print = { trader: string; ts: number; taken: Amount; made: Amount }
export type Amount = { size: number; cash: number }

/** The name of all addresses without a ledger. */
const unnamed = ''

/** The prints of each book in the order of time. */
export function printsOf({ fills }: Facts): Map<string, Print[]> {
  const rows = fills.filter(
    ({ size, role, venue, ts, market, isSystem }) =>
      size > 0 && role !== 'block' && venue !== 'kalshi' && !isSystem && ts < (market.resolvedAt ?? Infinity),
  )
  const prints = new Map<string, Print[]>()
  for (const [book, own] of grouped(rows, bookOf)) {
    const groups = grouped(own, ({ trader, ts, tx }) => JSON.stringify([trader, ts, tx]))
    const remaining = [...groups.values()].map(printOf).toSorted((a, b) => a.ts - b.ts)
    prints.set(book, remaining)
  }
  return prints
}

/** A market of two outcomes has one book. */
export const bookOf = ({ market, outcome }: Pick<Fill, 'market' | 'outcome'>): string =>
  `${market.id} ${market.tokenIds.length === 2 ? 0 : outcome}`

/** Whether prices of this outcome are 1 minus those of its book. */
export const isTurned = ({ market, outcome }: Pick<Fill, 'market' | 'outcome'>): boolean =>
  market.tokenIds.length === 2 && outcome === 1

export const cashOf = ({ cash, price, size }: Fill): number => cash ?? wholeRatio(price, size, 1_000_000)

function printOf(rows: Fill[]): Print {
  const [first] = rows
  const total = (role: string): Amount => {
    const own = rows.filter((row) => row.role === role)
    return {
      size: own.reduce((sum, { size }) => sum + size, 0),
      cash: own.reduce((sum, row) => sum + (isTurned(row) ? row.size - cashOf(row) : cashOf(row)), 0),
    }
  }
  const [taken, made] = [total('taker'), total('maker')]
  const print = { trader: first?.trader ?? unnamed, ts: first?.ts ?? 0 }
  return print.trader === unnamed ? { ...print, taken, made } : { ...print, ...remainder(taken, made) }
}

function remainder(taken: Amount, made: Amount): { taken: Amount; made: Amount } {
  const both = Math.min(taken.size, made.size)
  const rest = taken.size - both
  const part = ({ size, cash }: Amount): number => {
    if (both === 0) return cash
    return both === size ? 0 : wholeRatio(cash, size - both, size)
  }
  const difference = taken.cash - made.cash
  const isDifference = both > 0 && rest > 0 && difference >= 0 && difference <= rest
  return {
    taken: { size: rest, cash: isDifference ? difference : part(taken) },
    made: { size: made.size - both, cash: part(made) },
  }
}

/** The trades of other traders in a window with both ends, each match counted once, and the number of takers. */
export function tradedByOthers(
  prints: readonly Print[],
  window: { from: number; to: number },
  own: string | null,
): Amount & { takers: number } {
  const [others, sum] = [new Set<string>(), { size: 0, cash: 0 }]
  for (let place = firstFrom(prints, window.from); place < prints.length; place++) {
    const print = prints[place]
    if (print === undefined || print.ts > window.to) break
    const isOwn = print.trader === own && own !== unnamed
    if (!isOwn && print.taken.size > 0) others.add(print.trader)
    sum.size += isOwn ? -print.made.size : print.taken.size
    sum.cash += isOwn ? -print.made.cash : print.taken.cash
  }
  return { ...sum, takers: others.size }
}

/** The place of the first print at or after an instant. */
function firstFrom(prints: readonly Print[], from: number): number {
  let [low, high] = [0, prints.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((prints[middle]?.ts ?? Infinity) < from) low = middle + 1
    else high = middle
  }
  return low
}
