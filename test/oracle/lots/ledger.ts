import { roundHalfEven } from '#test/oracle/round.ts'

import type { Disposal, Ledger, Lot, Trade, Transfer, Unmatched, World } from './types.ts'

/**
 * First-in, first-out lots of a world, written from the definitions of wallet PnL alone and independent of the fold:
 * events one by one, lots in lists, every share of an amount a quotient of whole numbers.
 */
export function oracleLots(world: World): Ledger {
  const ledger: Ledger = { lots: [], disposals: [], unmatched: [] }
  for (const event of inOrder(world)) {
    if ('token_sold' in event) trade(ledger, event, world.kinds)
    else transfer(ledger, event, world)
  }
  return ledger
}

/** Within a transaction: by `seq`, then what comes in before what goes out. */
function inOrder({ trades, transfers }: World): (Trade | Transfer)[] {
  const stepOf = (event: Trade | Transfer): number =>
    'token_sold' in event ? 2 : event.direction === 'out' ? 3 : event.basis === 'carry' ? 1 : 0
  return [...trades, ...transfers].sort(
    (a, b) =>
      a.block - b.block ||
      a.tx_index - b.tx_index ||
      a.seq - b.seq ||
      stepOf(a) - stepOf(b) ||
      (a.wallet < b.wallet ? -1 : a.wallet > b.wallet ? 1 : 0),
  )
}

/** The rank of a token as money: the leg with the lower rank carries the gas. */
const moneyness = (kinds: World['kinds'], token: string): number =>
  ({ stable: 2, native: 1, other: 0 })[kinds.get(token) ?? 'other']

function trade(ledger: Ledger, event: Trade, kinds: World['kinds']): void {
  if (event.token_sold === event.token_bought) return roundTrip(ledger, event)
  const isPurchase = moneyness(kinds, event.token_sold) > moneyness(kinds, event.token_bought)
  const bought = { event, token: event.token_bought, amount: event.amount_bought }
  acquire(ledger, bought, 'buy', plus(event.usd, isPurchase ? event.gas : 0n))
  const sold = { event, token: event.token_sold, amount: event.amount_sold }
  dispose(ledger, sold, 'sale', event.usd, isPurchase ? 0n : event.gas)
}

/** From 2 billion US dollars on, a value is not priced. */
const notPriced = 2_000_000_000_000_000n

/** An atomic round trip realizes its surplus, which stays as a lot at that value, or loses lots for nothing. */
function roundTrip(ledger: Ledger, event: Trade): void {
  const { token_sold: token, amount_sold, amount_bought, usd, gas } = event
  const delta = amount_bought - amount_sold
  if (delta < 0n) return dispose(ledger, { event, token, amount: -delta }, 'arbitrage', 0n, gas)
  const valued = amount_sold > 0n ? amount_sold : amount_bought
  const surplus = usd === null ? null : valued === 0n ? 0n : roundHalfEven(usd * delta, valued)
  const value = surplus !== null && surplus < notPriced ? surplus : null
  const flow = { event, token, amount: delta }
  const made = acquire(ledger, flow, 'arbitrage', 0n)
  made.amount_left = 0n
  ledger.disposals.push({
    ...placeOf(flow),
    lot: made.lot,
    kind: 'arbitrage',
    amount: delta,
    proceeds: value,
    cost: 0n,
    gas,
    pnl: value === null ? null : value - gas,
    held_s: 0n,
  })
  acquire(ledger, flow, 'arbitrage', value)
}

/** Transfers to oneself move nothing. Within one owner, the receiver's row moves the lots and the sender's none. */
function transfer(ledger: Ledger, event: Transfer, { trades, transfers, owners }: World): void {
  if (event.wallet === event.counterparty) return
  const ownerOf = (address: string): string => owners.get(address) ?? address
  const isKnown = [...trades, ...transfers].some(({ wallet }) => wallet === event.counterparty)
  const isCarry = event.basis === 'carry' && isKnown && ownerOf(event.wallet) === ownerOf(event.counterparty)
  if (isCarry && event.direction === 'out') return
  if (isCarry) return carry(ledger, event)
  if (event.direction === 'out') return dispose(ledger, { ...event, event }, 'transfer', null, 0n)
  acquire(ledger, { ...event, event }, 'transfer', event.basis === 'unpriced' ? null : event.usd)
}

function carry(ledger: Ledger, event: Transfer): void {
  const from = { ...event, event: { ...event, wallet: event.counterparty } }
  const to = { ...event, event }
  const before = ledger.disposals.length
  dispose(ledger, from, 'carry', null, 0n)
  let missing = event.amount
  for (const given of ledger.disposals.slice(before)) {
    const lot = acquire(ledger, { ...to, amount: given.amount }, 'carry', given.cost)
    lot.ts = heldBy(ledger, given).ts
    missing -= given.amount
  }
  if (missing > 0n) acquire(ledger, { ...to, amount: missing }, 'carry', null)
}

const heldBy = ({ lots }: Ledger, { wallet, chain, token, lot: number }: Disposal): Lot => {
  const found = lots.find(
    (lot) => lot.wallet === wallet && lot.chain === chain && lot.token === token && lot.lot === number,
  )
  if (found === undefined) throw new Error(`${wallet} ${token}: no lot ${number}`)
  return found
}

type Flow = { event: Trade | Transfer; token: string; amount: bigint }

const lotsOf = ({ lots }: Ledger, { event, token }: Flow): Lot[] =>
  lots.filter((lot) => lot.wallet === event.wallet && lot.chain === event.chain && lot.token === token)

function acquire(ledger: Ledger, flow: Flow, origin: Lot['origin'], cost: bigint | null): Lot {
  const { wallet, chain, ts, tx } = flow.event
  const amounts = { amount: flow.amount, amount_left: flow.amount, cost, cost_left: cost }
  const lot: Lot = { wallet, chain, token: flow.token, lot: lotsOf(ledger, flow).length, ts, tx, origin, ...amounts }
  ledger.lots.push(lot)
  return lot
}

/**
 * Takes the oldest lots first. An amount that no lot covers is unmatched, with the remaining proceeds less the
 * remaining gas.
 */
function dispose(ledger: Ledger, flow: Flow, kind: Disposal['kind'], proceeds: bigint | null, gas: bigint): void {
  let rest = { amount: flow.amount, proceeds, gas }
  for (const lot of lotsOf(ledger, flow)) {
    if (rest.amount === 0n) break
    if (lot.amount_left === 0n) continue
    const amount = lot.amount_left < rest.amount ? lot.amount_left : rest.amount
    const given = {
      proceeds: shareOf(rest.proceeds, amount, rest.amount),
      gas: roundHalfEven(rest.gas * amount, rest.amount),
      cost: shareOf(lot.cost_left, amount, lot.amount_left),
    }
    lot.amount_left -= amount
    lot.cost_left = minus(lot.cost_left, given.cost)
    rest = { amount: rest.amount - amount, proceeds: minus(rest.proceeds, given.proceeds), gas: rest.gas - given.gas }
    const pnl = minus(minus(given.proceeds, given.gas), given.cost)
    const held_s = BigInt(Math.floor((flow.event.ts - lot.ts) / 1_000_000))
    ledger.disposals.push({ ...placeOf(flow), lot: lot.lot, kind, amount, ...given, pnl, held_s })
  }
  const left = minus(rest.proceeds, rest.gas)
  if (rest.amount === 0n && !(flow.amount === 0n && left !== null && left !== 0n)) return
  ledger.unmatched.push({ ...placeOf(flow), kind, amount: rest.amount, proceeds: left })
}

const placeOf = ({
  event: { wallet, chain, block, tx_index, tx, seq, ts },
  token,
}: Flow): Omit<Unmatched, 'kind' | 'amount' | 'proceeds'> => ({ wallet, chain, token, block, tx_index, tx, seq, ts })

const shareOf = (value: bigint | null, part: bigint, whole: bigint): bigint | null =>
  value === null ? null : roundHalfEven(value * part, whole)

const plus = (value: bigint | null, more: bigint): bigint | null => (value === null ? null : value + more)
const minus = (value: bigint | null, less: bigint | null): bigint | null =>
  value === null || less === null ? null : value - less
