import type { Micros } from '#time.ts'

import type { LedgerEvent, LedgerMarket } from './event.ts'

/** A planned action and its parameters. An impossible action becomes the action that makes it possible. */
export type Step = {
  act: 'buy' | 'sell' | 'split' | 'merge' | 'convert' | 'resolve' | 'redeem' | 'repeat' | 'receive' | 'give' | 'migrate'
  wait_us: number
  trader: number
  pick: number
  outcome: number
  size: bigint
  portion_permille: number
  price_permille: number
  fee_permille: number
  /** Does it whether there are shares for it or not. */
  isBlind: boolean
  payouts: 'one' | 'halves' | 'skewed' | 'void'
  questions: number
  isSetKnown: boolean
  /** Whether a redemption names its outcomes. */
  isNamed: boolean
  redeemed: 'exact' | 'near' | 'part' | 'excess' | 'nothing'
  near: number
  tx: string
  rank: number
}

/** The state of the world as the steps see it. It is approximate: the steps ignore the order within a second. */
export type World = {
  markets: LedgerMarket[]
  events: LedgerEvent[]
  now: Micros
  payouts: Map<string, bigint[]>
  holdings: Holding[]
}
export type Holding = { trader: string; market: LedgerMarket; outcome: number; size: bigint }

export function emit(
  world: World,
  step: Step,
  fields: Partial<LedgerEvent> & Pick<LedgerEvent, 'market_id' | 'kind'>,
): void {
  world.events.push({
    trader: '',
    ts: world.now,
    tx: step.tx,
    // No two events share one, and it runs otherwise than the order in which they were thought of.
    seq: step.rank * 1_000 + world.events.length,
    outcome: -1,
    size: 0n,
    cash: 0n,
    fee: 0n,
    neg_risk_id: world.markets.find((market) => market.market_id === fields.market_id)?.neg_risk_id ?? null,
    index_set: null,
    target: null,
    payouts: null,
    ...fields,
  })
}

export function paid(step: Step, size: bigint): { cash: bigint; fee: bigint } {
  const cash = (size * BigInt(step.price_permille)) / 1_000n
  return { cash, fee: (cash * BigInt(step.fee_permille)) / 1_000n }
}

export function portion(size: bigint, step: Step): bigint {
  const some = (size * BigInt(step.portion_permille)) / 1_000n
  return some > 0n ? some : 1n
}

export function holding(world: World, trader: string, market: LedgerMarket, outcome: number): Holding {
  const known = world.holdings.find(
    (each) => each.trader === trader && each.market === market && each.outcome === outcome,
  )
  if (known !== undefined) return known
  const made = { trader, market, outcome, size: 0n }
  world.holdings.push(made)
  return made
}

export const heldBy = (world: World, trader: string): Holding[] =>
  world.holdings.filter((each) => each.trader === trader && each.size > 0n)

export const least = (holdings: Holding[]): bigint =>
  holdings.map((each) => each.size).reduce((a, b) => (a < b ? a : b))

export function take(from: Holding, size: bigint): void {
  from.size = from.size > size ? from.size - size : 0n
}

export function picked<T>(list: readonly T[], n: number): T {
  const item = list[n % list.length]
  if (item === undefined) throw new RangeError('There is nothing to pick from.')
  return item
}
