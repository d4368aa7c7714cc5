import { compare, copy, isZero, set, subtract, toBigInt, zero, type Amount } from './amount.ts'
import type { Leg } from './input.ts'
import type { DisposalKind, Journal } from './journal.ts'
import { openQueue, push, shift, type Acquired, type Lot, type Pool, type Queue } from './lot.ts'
import { portion, portionOf } from './portion.ts'

/** The wallets of one owner in one token, with the registers of the disposal in progress. */
export type Account = {
  journal: Journal
  pool: Pool
  token: number
  cluster: number
  queues: Queue[]
  rest: Amount
  given: Amount
}

export const openAccount = (journal: Journal): Account => ({
  journal,
  pool: { free: undefined },
  token: -1,
  cluster: -1,
  queues: [],
  rest: zero(),
  given: zero(),
})

/** Applies the account's next event. */
export function enter(account: Account, leg: Leg): void {
  const { ts: since, amount, usd, gas } = leg
  const queue = queueOf(account, leg.wallet)
  switch (leg.kind) {
    case 'in':
      return push(account.pool, queue, leg, { origin: 'transfer', since, cost: usd }, amount)
    case 'buy':
      return push(account.pool, queue, leg, { origin: 'buy', since, cost: usd + gas }, amount)
    case 'carry': {
      const to = { queue, origin: 'carry', since, cost: Number.NaN } as const
      const missing = dispose(account, leg, { queue: queueOf(account, leg.from), kind: 'carry', to })
      return isZero(missing) ? undefined : push(account.pool, queue, leg, to, missing)
    }
    case 'paid':
      queue.paid = toBigInt(amount)
      return
    case 'returned':
      return roundTrip(account, leg, queue)
    case 'sale':
      dispose(account, leg, { queue, kind: 'sale' })
      return
    case 'out':
      dispose(account, leg, { queue, kind: 'transfer' })
  }
}

/** Writes the lots that are left, and makes the account that of another owner or token. */
export function close(account: Account, { cluster, token }: Leg): void {
  for (const queue of account.queues) {
    for (let lot = queue.head; lot !== undefined; lot = queue.head) useUp(account, queue, lot)
  }
  account.queues = []
  account.cluster = cluster
  account.token = token
}

/** Writes the oldest lot as it is, and removes it. */
function useUp({ journal, pool, token }: Account, queue: Queue, lot: Lot): void {
  journal.lot(queue.wallet, token, lot)
  shift(pool, queue, lot)
}

function queueOf({ queues }: Account, wallet: number): Queue {
  for (const queue of queues) if (queue.wallet === wallet) return queue
  const queue = openQueue(wallet)
  queues.push(queue)
  return queue
}

type Disposing = { queue: Queue; kind: DisposalKind; to?: Acquired & { queue: Queue } }

/**
 * Gives the amount of an event out of the oldest lots. Each lot takes its share of the proceeds and the gas, and the
 * unmatched rest takes what is left of both. A carry pushes each part to the receiver, with its date and cost. Returns
 * the unmatched amount.
 */
function dispose(account: Account, leg: Leg, { queue, kind, to }: Disposing): Amount {
  const { journal, pool, rest, given } = account
  const { wallet } = queue
  let { gas, usd } = leg
  copy(rest, leg.amount)
  for (let lot = queue.head; lot !== undefined && !isZero(rest); lot = queue.head) {
    if (isZero(lot.left)) {
      useUp(account, queue, lot)
      continue
    }
    const order = compare(lot.left, rest)
    copy(given, order <= 0 ? lot.left : rest)
    const cost = order <= 0 ? lot.costLeft : portion(lot.costLeft, given, lot.left)
    const isLast = order >= 0
    const proceeds = isLast ? usd : portion(usd, given, rest)
    const share = isLast ? gas : portion(gas, given, rest)
    subtract(lot.left, given)
    subtract(rest, given)
    lot.costLeft -= cost
    usd -= proceeds
    gas -= share
    journal.disposed({ wallet, kind, proceeds, gas: share, cost }, leg, lot, given)
    if (to !== undefined) push(pool, to.queue, leg, { ...to, since: lot.since, cost }, given)
    if (isZero(lot.left)) useUp(account, queue, lot)
  }
  const isCash = isZero(leg.amount) && !Number.isNaN(usd) && usd - gas !== 0
  if (!isZero(rest) || isCash) journal.unmatched(wallet, kind, leg, rest, usd - gas)
  return rest
}

/**
 * Ends a round trip. A surplus is a lot for nothing, given at once at its value and acquired again at that value. A
 * deficit is given for nothing.
 */
function roundTrip(account: Account, leg: Leg, queue: Queue): void {
  const { journal, pool } = account
  const { ts: since, gas } = leg
  const returned = toBigInt(leg.amount)
  if (returned < queue.paid) {
    set(leg.amount, queue.paid - returned)
    leg.usd = 0
    dispose(account, leg, { queue, kind: 'arbitrage' })
    return
  }
  const value = portionOf(leg.usd, returned - queue.paid, queue.paid > 0n ? queue.paid : returned)
  set(leg.amount, returned - queue.paid)
  push(pool, queue, leg, { origin: 'arbitrage', since, cost: 0 }, leg.amount)
  const made = queue.tail
  if (made !== undefined) {
    set(made.left, 0n)
    journal.disposed({ wallet: queue.wallet, kind: 'arbitrage', proceeds: value, gas, cost: 0 }, leg, made, leg.amount)
  }
  push(pool, queue, leg, { origin: 'arbitrage', since, cost: value }, leg.amount)
}
