import { compare, copy, isZero, set, subtract, toBigInt, zero, type Amount } from './amount.ts'
import type { Event, Side } from './input.ts'
import type { DisposalKind, Journal } from './journal.ts'
import { openQueue, push, shift, type Acquired, type Lot, type Pool, type Queue } from './lot.ts'
import { portion, portionOf } from './portion.ts'

/** The wallets of one owner, with the registers of the disposal in progress. `queues` are those of each token. */
export type Owner = {
  journal: Journal
  pool: Pool
  cluster: number
  queues: Map<number, Queue[]>
  rest: Amount
  part: Amount
}

export const openOwner = (journal: Journal): Owner => ({
  journal,
  pool: { free: undefined },
  cluster: -1,
  queues: new Map(),
  rest: zero(),
  part: zero(),
})

/** Applies the owner's next event. */
export function enter(owner: Owner, event: Event): void {
  const { wallet, received, sent, ts: since, usd, gas, isCountable } = event
  switch (event.kind) {
    case 'in':
      return acquire(owner, event, { origin: 'transfer', since, cost: usd, isCountable })
    case 'carry': {
      const queue = queueOf(owner, received.token, wallet)
      const to = { queue, origin: 'carry', since, cost: Number.NaN, isCountable } as const
      const from = queueOf(owner, received.token, event.from)
      const missing = dispose(owner, event, { queue: from, kind: 'carry', amount: received.amount, usd, gas, to })
      return isZero(missing) ? undefined : push(owner.pool, queue, event, to, missing)
    }
    case 'purchase':
      acquire(owner, event, { origin: 'buy', since, cost: usd + gas, isCountable })
      return release(owner, event, 'sale', 0)
    case 'sale':
      acquire(owner, event, { origin: 'buy', since, cost: usd, isCountable })
      return release(owner, event, 'sale', gas)
    case 'roundTrip':
      return roundTrip(owner, event, queueOf(owner, sent.token, wallet))
    case 'out':
      return release(owner, event, 'transfer', gas)
    case 'nothing':
  }
}

/** Writes the lots that are left, and makes the owner another one. */
export function close(owner: Owner, cluster: number): void {
  for (const queues of owner.queues.values()) {
    for (const queue of queues) {
      for (let lot = queue.head; lot !== undefined; lot = queue.head) useUp(owner, queue, lot)
    }
  }
  owner.queues.clear()
  owner.cluster = cluster
}

function acquire(owner: Owner, event: Event, acquired: Acquired): void {
  const { token, amount } = event.received
  push(owner.pool, queueOf(owner, token, event.wallet), event, acquired, amount)
}

function release(owner: Owner, event: Event, kind: DisposalKind, gas: number): void {
  const { token, amount }: Side = event.sent
  dispose(owner, event, { queue: queueOf(owner, token, event.wallet), kind, amount, usd: event.usd, gas })
}

/** Writes the oldest lot as it is, and removes it. */
function useUp({ journal, pool }: Owner, queue: Queue, lot: Lot): void {
  journal.lot(queue, lot)
  shift(pool, queue, lot)
}

function queueOf(owner: Owner, token: number, wallet: number): Queue {
  let queues = owner.queues.get(token)
  if (queues === undefined) owner.queues.set(token, (queues = []))
  for (const queue of queues) if (queue.wallet === wallet) return queue
  const queue = openQueue(wallet, token)
  queues.push(queue)
  return queue
}

type Disposing = {
  queue: Queue
  kind: DisposalKind
  amount: Amount
  usd: number
  gas: number
  to?: Acquired & { queue: Queue }
}

/**
 * Gives the amount of an event out of the oldest lots. Each lot takes its share of the proceeds and the gas, and the
 * unmatched rest takes what is left of both. A carry pushes each part to the receiver, with its date and cost. Returns
 * the unmatched amount.
 */
function dispose(owner: Owner, event: Event, disposing: Disposing): Amount {
  const { journal, pool, rest, part } = owner
  const { queue, kind, amount, to } = disposing
  let { gas, usd } = disposing
  copy(rest, amount)
  for (let lot = queue.head; lot !== undefined && !isZero(rest); lot = queue.head) {
    if (isZero(lot.left)) {
      useUp(owner, queue, lot)
      continue
    }
    const order = compare(lot.left, rest)
    copy(part, order <= 0 ? lot.left : rest)
    const cost = order <= 0 ? lot.costLeft : portion(lot.costLeft, part, lot.left)
    const isLast = order >= 0
    const proceeds = isLast ? usd : portion(usd, part, rest)
    const share = isLast ? gas : portion(gas, part, rest)
    subtract(lot.left, part)
    subtract(rest, part)
    lot.costLeft -= cost
    usd -= proceeds
    gas -= share
    journal.disposed(queue, kind, event, { lot, amount: part, proceeds, gas: share, cost })
    if (to !== undefined)
      push(pool, to.queue, event, { ...to, since: lot.since, cost, isCountable: lot.isCountable }, part)
    if (isZero(lot.left)) useUp(owner, queue, lot)
  }
  const isCash = isZero(amount) && !Number.isNaN(usd) && usd - gas !== 0
  if (!isZero(rest) || isCash) journal.unmatched(queue, kind, event, { amount: rest, proceeds: usd - gas })
  return rest
}

/**
 * Ends a round trip. A surplus is a lot for nothing, given at once at its value and acquired again at that value. A
 * deficit is given for nothing.
 */
function roundTrip(owner: Owner, event: Event, queue: Queue): void {
  const { journal, pool } = owner
  const { ts: since, gas, received, isCountable } = event
  const [paid, returned] = [toBigInt(event.sent.amount), toBigInt(received.amount)]
  const { amount } = received
  set(amount, returned < paid ? paid - returned : returned - paid)
  if (returned < paid) {
    dispose(owner, event, { queue, kind: 'arbitrage', amount, usd: 0, gas })
    return
  }
  const value = portionOf(event.usd, returned - paid, paid > 0n ? paid : returned)
  push(pool, queue, event, { origin: 'arbitrage', since, cost: 0, isCountable }, amount)
  const made = queue.tail
  if (made !== undefined) {
    set(made.left, 0n)
    journal.disposed(queue, 'arbitrage', event, { lot: made, amount, proceeds: value, gas, cost: 0 })
  }
  push(pool, queue, event, { origin: 'arbitrage', since, cost: value, isCountable }, amount)
}
