import type { Activity, Fills, Matches, Prices } from '#sim/markets/types.ts'

/** One row of a match, before its time is known. */
export type Leg = { trader: number; outcome: number; side: number; size: number; cash: number; fee: number }

/** All matches, in the order of creation. */
export type Tape = {
  ts_s: number[]
  market: number[]
  fair: number[]
  expected: number[]
  tx: number[]
  /** Legs of match i: from firstLeg[i] until firstLeg[i + 1]; the taker's first. */
  firstLeg: number[]
  trader: number[]
  outcome: number[]
  side: number[]
  size: number[]
  cash: number[]
  fee: number[]
  activity: Activity[]
  prices: Prices
  nextTx: number
}

export const createTape = (): Tape => ({
  ts_s: [],
  market: [],
  fair: [],
  expected: [],
  tx: [],
  firstLeg: [],
  trader: [],
  outcome: [],
  side: [],
  size: [],
  cash: [],
  fee: [],
  activity: [],
  prices: { market: [], ts_s: [], fair: [], believed: [] },
  nextTx: 0,
})

/** Writes a match; the first leg is the taker's. */
export function writeMatch(
  tape: Tape,
  head: { ts_s: number; market: number; fair: number; expected?: number; tx: number },
  legs: Leg[],
): void {
  tape.ts_s.push(head.ts_s)
  tape.market.push(head.market)
  tape.fair.push(head.fair)
  tape.expected.push(head.expected ?? head.fair)
  tape.tx.push(head.tx)
  tape.firstLeg.push(tape.trader.length)
  for (const leg of legs) {
    tape.trader.push(leg.trader)
    tape.outcome.push(leg.outcome)
    tape.side.push(leg.side)
    tape.size.push(leg.size)
    tape.cash.push(leg.cash)
    tape.fee.push(leg.fee)
  }
}

/** The matches until `endsAt_s`, as columns in the order of time, and the position of each by creation. */
export function developTape(tape: Tape, endsAt_s: number): { matches: Matches; fills: Fills; order: Int32Array } {
  const order = orderOf(tape, endsAt_s)
  const nFills = order.reduce((sum, match) => sum + legEnd(tape, match) - at(tape.firstLeg, match), 0)
  const matches: Matches = {
    length: order.length,
    ts_s: Float64Array.from(order, (match) => at(tape.ts_s, match)),
    market: Int32Array.from(order, (match) => at(tape.market, match)),
    fair: Float64Array.from(order, (match) => at(tape.fair, match)),
    expected: Float64Array.from(order, (match) => at(tape.expected, match)),
    tx: Int32Array.from(order, (match) => at(tape.tx, match)),
    firstFill: new Int32Array(order.length + 1),
  }
  const fills: Fills = {
    length: nFills,
    match: new Int32Array(nFills),
    trader: new Int32Array(nFills),
    outcome: new Uint8Array(nFills),
    side: new Uint8Array(nFills),
    isTaker: new Uint8Array(nFills),
    size: new Float64Array(nFills),
    cash: new Float64Array(nFills),
    fee: new Float64Array(nFills),
  }
  let fill = 0
  for (let i = 0; i < order.length; i++) {
    const first = at(tape.firstLeg, order[i] ?? 0)
    const end = legEnd(tape, order[i] ?? 0)
    matches.firstFill[i] = fill
    for (let leg = first; leg < end; leg++, fill++) {
      fills.match[fill] = i
      fills.trader[fill] = at(tape.trader, leg)
      fills.outcome[fill] = at(tape.outcome, leg)
      fills.side[fill] = at(tape.side, leg)
      fills.isTaker[fill] = leg === first ? 1 : 0
      fills.size[fill] = at(tape.size, leg)
      fills.cash[fill] = at(tape.cash, leg)
      fills.fee[fill] = at(tape.fee, leg)
    }
  }
  matches.firstFill[order.length] = fill
  return { matches, fills, order }
}

/** Matches by time, then by creation: one number sorts both. */
function orderOf(tape: Tape, endsAt_s: number): Int32Array {
  const nMatches = tape.ts_s.length
  const start_s = tape.ts_s.reduce((least, ts_s) => Math.min(least, ts_s), Infinity)
  const keys: number[] = []
  for (let i = 0; i < nMatches; i++) {
    if (at(tape.ts_s, i) <= endsAt_s) keys.push((at(tape.ts_s, i) - start_s) * nMatches + i)
  }
  return Int32Array.from(Float64Array.from(keys).sort(), (key) => key % nMatches)
}

const legEnd = (tape: Tape, match: number): number => tape.firstLeg[match + 1] ?? tape.trader.length

function at(column: number[], index: number): number {
  const value = column[index]
  if (value === undefined) throw new RangeError(`tape: no row ${index}; expected the index of a row`)
  return value
}
