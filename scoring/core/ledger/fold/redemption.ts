import { held, resolutionOf, share, touch, valueOf, type Book, type Resolution } from './book.ts'
import { realize, sell } from './entry.ts'
import type { Event } from './input.ts'
import { lack, take, type Position } from './position.ts'
import { least, portion } from './round.ts'

/** The largest difference between equal cash and payouts, in millionths: each outcome may round separately. */
const tolerance = 10n

type Burnt = { position: Position; size: bigint; proceeds: bigint }

/**
 * Redeems shares for cash. If the event does not name the outcome, the cash compared with the payouts of the held shares
 * determines them. Without a resolution they are unknown, and the cash is untracked.
 */
export function redeem(book: Book, event: Event): void {
  if (event.outcome >= 0) return sell(touch(book, event.outcome, event), 'redemption', event.size, event.cash)
  if (event.size > 0n) return redeemPairs(book, event)
  const resolution = resolutionOf(book)
  if (resolution === undefined) return lack(touch(book, 0, event).position, 0n, event.cash)
  const all = held(book).map((position) => ({ position, size: position.size, proceeds: valueOf(position, resolution) }))
  burn(book, event, burntFor(event.cash, all))
  const excess = event.cash - sum(all)
  if (excess > tolerance) lack(touch(book, firstPaid(resolution), event).position, 0n, excess)
}

/** Redeems as many shares of both outcomes. Each has its payout; the first one has the cash if it is not known yet. */
function redeemPairs(book: Book, event: Event): void {
  const [payout = share] = resolutionOf(book)?.payouts ?? []
  const first = least(portion(event.size, payout, share), event.cash)
  sell(touch(book, 0, event), 'redemption', event.size, first)
  sell(touch(book, 1, event), 'redemption', event.size, event.cash - first)
}

/** All held shares, unless the cash is less than their payout: then the same part of each paying outcome. */
function burntFor(cash: bigint, all: readonly Burnt[]): readonly Burnt[] {
  const paid = all.filter(({ proceeds }) => proceeds > 0n)
  const total = sum(paid)
  if (cash > total + tolerance) return all
  if (cash >= total - tolerance) return [...all.filter(({ proceeds }) => proceeds === 0n), ...exactly(cash, paid)]
  const part = ({ position, size, proceeds }: Burnt): Burnt => ({
    position,
    size: (size * cash) / total,
    proceeds: portion(proceeds, cash, total),
  })
  return exactly(cash, paid.map(part))
}

const sum = (burnt: readonly Burnt[]): bigint => burnt.reduce((total, { proceeds }) => total + proceeds, 0n)

/** The same shares for `cash` in total; the last outcome takes the difference. */
const exactly = (cash: bigint, burnt: readonly Burnt[]): Burnt[] =>
  burnt.map((each, index) =>
    index === burnt.length - 1 ? { ...each, proceeds: each.proceeds + cash - sum(burnt) } : each,
  )

function burn(book: Book, event: Event, burnt: readonly Burnt[]): void {
  for (const { position, size, proceeds } of burnt) {
    const entry = touch(book, position.outcome, event)
    if (size > 0n) realize(entry, 'redemption', size, proceeds, take(position, size))
    else lack(position, 0n, proceeds)
  }
}

/** The first outcome with a payout; outcome 0 without one. */
function firstPaid({ payouts }: Resolution): number {
  const outcome = payouts.findIndex((payout) => payout > 0n)
  return outcome === -1 ? 0 : outcome
}
