import { copy, zero, type Amount } from './amount.ts'

/** How a lot was acquired. */
export const origins = ['buy', 'transfer', 'carry', 'arbitrage'] as const

/**
 * A lot that is not used up. `number` counts the lots of its wallet and token. The event at `block`, `txIndex` and
 * `seq` brought it. It was acquired at `since` (microseconds), which a carry between addresses of one owner keeps.
 * Costs are whole millionths of a US dollar, NaN where the lot is not priced. `isCountable` is 0 if its cost is that of
 * a trade which counts in no list, otherwise 1.
 */
export type Lot = {
  number: number
  origin: number
  block: number
  txIndex: number
  seq: number
  since: number
  amount: Amount
  left: Amount
  cost: number
  costLeft: number
  isCountable: number
  next: Lot | undefined
}

/** The open lots of one wallet in one token, the oldest first. */
export type Queue = {
  wallet: number
  token: number
  head: Lot | undefined
  tail: Lot | undefined
  n_lots: number
}

/** The event that brings a lot. */
type Place = { block: number; txIndex: number; seq: number }

/** What a new lot is, beside its amount and its event. */
export type Acquired = { origin: (typeof origins)[number]; since: number; cost: number; isCountable: number }

/** The lots out of use. A ledger creates as many objects as it ever has open lots, and none for each row. */
export type Pool = { free: Lot | undefined }

export const openQueue = (wallet: number, token: number): Queue => ({
  wallet,
  token,
  head: undefined,
  tail: undefined,
  n_lots: 0,
})

/** Appends a lot of `amount`. */
export function push(
  pool: Pool,
  queue: Queue,
  place: Place,
  { origin, since, cost, isCountable }: Acquired,
  amount: Amount,
): void {
  const lot = pool.free ?? empty()
  pool.free = lot.next
  lot.number = queue.n_lots++
  lot.origin = origins.indexOf(origin)
  lot.block = place.block
  lot.txIndex = place.txIndex
  lot.seq = place.seq
  lot.since = since
  lot.cost = cost
  lot.costLeft = cost
  lot.isCountable = isCountable
  copy(lot.amount, amount)
  copy(lot.left, amount)
  lot.next = undefined
  if (queue.tail === undefined) queue.head = lot
  else queue.tail.next = lot
  queue.tail = lot
}

/** Removes the oldest lot, which returns to the pool and is valid until the next push. */
export function shift(pool: Pool, queue: Queue, head: Lot): void {
  queue.head = head.next
  if (queue.head === undefined) queue.tail = undefined
  head.next = pool.free
  pool.free = head
}

// Fractions, so that the fields are floating point from the start and never change their representation.
const empty = (): Lot => ({
  number: 0,
  origin: 0,
  block: 0.5,
  txIndex: 0,
  seq: 0,
  since: 0.5,
  amount: zero(),
  left: zero(),
  cost: 0.5,
  costLeft: 0.5,
  isCountable: 0,
  next: undefined,
})
