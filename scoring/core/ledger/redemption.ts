import { held, resolutionOf, touch, valueOf, type Book, type Resolution } from './book.ts'
import { lack, realize, take, type Position } from './position.ts'
import { portion } from './round.ts'

/** Cash and payouts that differ by at most this many millionths are the same: each outcome may round by itself. */
const tolerance = 10n

type Event = { ts: bigint; seq: number; cash: bigint }
type Burnt = { position: Position; size: bigint; proceeds: bigint }

/**
 * Hands shares in for `cash`. The event does not say which: the cash against what the held shares pay does. Without a
 * resolution nobody can tell what was handed in, and the cash is untracked.
 */
export function redeem(book: Book, event: Event): void {
  const resolution = resolutionOf(book)
  if (resolution === undefined) return lack(touch(book, 0, event).position, 0n, event.cash)
  const values = held(book).map((position) => ({
    position,
    size: position.size,
    proceeds: valueOf(position, resolution),
  }))
  const total = values.reduce((sum, { proceeds }) => sum + proceeds, 0n)
  if (event.cash < total - tolerance) return burn(book, event, burntFor(event.cash, values, total))
  if (event.cash <= total + tolerance) return burn(book, event, takeRest(values, event.cash))
  burn(book, event, values)
  lack(touch(book, firstPaid(resolution), event).position, 0n, event.cash - total)
}

/** What was handed in where the cash is less than everything would pay: the same part of each outcome that pays. */
function burntFor(cash: bigint, values: readonly Burnt[], total: bigint): Burnt[] {
  const paid = values.filter(({ proceeds }) => proceeds > 0n)
  const parts = paid.map(({ position, size, proceeds }) => ({
    position,
    size: (size * cash) / total,
    proceeds: portion(proceeds, cash, total),
  }))
  return takeRest(parts, cash)
}

/** The same proceeds, of which the last that are not zero take what is missing to `cash`. */
function takeRest(burnt: readonly Burnt[], cash: bigint): Burnt[] {
  const rest = burnt.reduce((left, { proceeds }) => left - proceeds, cash)
  const last = burnt.findLastIndex(({ proceeds }) => proceeds > 0n)
  return burnt.map((each, index) => (index === last ? { ...each, proceeds: each.proceeds + rest } : each))
}

function burn(book: Book, event: Event, burnt: readonly Burnt[]): void {
  for (const { position, size, proceeds } of burnt) {
    if (size === 0n) continue
    const entry = touch(book, position.outcome, event)
    realize(entry, 'redemption', size, proceeds, take(position, size))
    position.sold += proceeds
  }
}

const firstPaid = ({ payouts }: Resolution): number =>
  Math.max(
    payouts.findIndex((payout) => payout > 0n),
    0,
  )
