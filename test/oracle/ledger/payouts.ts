import { floor, roundHalfEven } from '#test/oracle/round.ts'

import { type Book, heldIn, realize, record, touched } from './book.ts'
import type { LedgerEvent, Position } from './event.ts'

/** A payout may differ by this many millionths from the value of the shares and still be theirs: upstreams round. */
const slack = 10n

/** Each held outcome is sold at its payout and bought again at it, so that it keeps its size and costs its value. */
export function resolution(book: Book, event: LedgerEvent): void {
  const payouts = event.payouts ?? []
  for (const position of heldIn(book, event.market_id)) {
    const value = valueOf(position, payouts)
    touched(book, event.market_id, position.outcome, event.ts)
    record(book, event, position, 'resolution', position.size, value, position.cost)
    position.cost = value
  }
  book.payouts.set(event.market_id, payouts)
}

export function redemption(book: Book, event: LedgerEvent): void {
  const payouts = book.payouts.get(event.market_id)
  if (payouts === undefined) return unexplained(book, event, 0, event.cash)

  const held = heldIn(book, event.market_id)
  const worth = held.reduce((sum, position) => sum + valueOf(position, payouts), 0n)
  if (event.cash < worth - slack) return redeemPart(book, event, payouts, held, worth)
  if (event.cash <= worth + slack) return redeemAll(book, event, payouts, held, event.cash - worth)

  redeemAll(book, event, payouts, held, 0n)
  const paying = payouts.findIndex((payout) => payout > 0n)
  unexplained(book, event, paying === -1 ? 0 : paying, event.cash - worth)
}

/** Burns all that is held at its value; the last outcome that is worth something takes the difference in the cash. */
function redeemAll(book: Book, event: LedgerEvent, payouts: bigint[], held: Position[], difference: bigint): void {
  const last = held.findLast((position) => valueOf(position, payouts) > 0n)
  for (const position of held) {
    const value = valueOf(position, payouts)
    touched(book, event.market_id, position.outcome, event.ts)
    realize(book, event, position, 'redemption', position.size, position === last ? value + difference : value)
  }
}

/** Burns of each outcome that is worth something as much as the cash pays for. */
function redeemPart(book: Book, event: LedgerEvent, payouts: bigint[], held: Position[], worth: bigint): void {
  const paying = held.filter((position) => valueOf(position, payouts) > 0n)
  let left = event.cash
  for (const [i, position] of paying.entries()) {
    const size = floor(position.size * event.cash, worth)
    const isLast = i === paying.length - 1
    const proceeds = isLast ? left : roundHalfEven(valueOf(position, payouts) * event.cash, worth)
    left -= proceeds
    touched(book, event.market_id, position.outcome, event.ts)
    // Cash for less than a millionth of a share burns nothing: it cannot be a result, and it must not be lost.
    if (size > 0n) realize(book, event, position, 'redemption', size, proceeds)
    else unexplained(book, event, position.outcome, proceeds)
  }
}

/** Cash that no shares stand behind. */
function unexplained(book: Book, event: LedgerEvent, outcome: number, cash: bigint): void {
  const position = touched(book, event.market_id, outcome, event.ts)
  position.untracked += cash
  if (cash !== 0n) position.is_complete = false
}

function valueOf(position: Position, payouts: bigint[]): bigint {
  const payout = payouts[position.outcome]
  if (payout === undefined)
    throw new RangeError(
      `Outcome ${position.outcome} of market '${position.market_id}' has no payout: 0 to ${payouts.length - 1} have.`,
    )
  return roundHalfEven(position.size * payout, 1_000_000n)
}
