import type { Filled, Matched, Placed, Refunded } from './chain_events.ts'

/** A trader's side of a match or of a trade with a pool. `cash` is before the fee: a purchase costs cash + fee. */
export type ChainFill = {
  trader: string
  role: 'maker' | 'taker'
  isBuy: boolean
  token: string
  condition: string | null
  size: bigint
  cash: bigint
  fee: bigint
  /** Millionths of a dollar for a share. */
  price: bigint
  log_index: number
}

/**
 * The fills of one transaction: one for each `OrderFilled`, of its maker. A match ends with `OrdersMatched`, and its
 * last fill is the taker's. What the exchange hands back to the taker is no event, so the taker's side is the sum of the
 * sides of its makers.
 */
export function fillsOfMatches(events: readonly Placed<Filled | Matched | Refunded>[]): ChainFill[] {
  const refunds = refundsOf(events)
  const openOf = new Map<string, Placed<Filled>[]>()
  const fills: ChainFill[] = []
  for (const event of events) {
    if (event.kind === 'refunded') continue
    const open = openOf.get(event.exchange) ?? []
    openOf.set(event.exchange, event.kind === 'filled' ? [...open, event] : [])
    if (event.kind === 'filled') fills.push(fillOf(event, refunds.get(event) ?? 0n))
    else improve(fills, open, refunds)
  }
  return fills
}

/** Replaces the taker's fill of a match by what its makers gave and got. */
function improve(fills: ChainFill[], match: readonly Placed<Filled>[], refunds: Refunds): void {
  const taker = match.at(-1)
  if (taker === undefined || roleOf(taker) !== 'taker') return
  const makers = match.filter((fill) => fill !== taker && fill.taker === taker.maker && roleOf(fill) === 'maker')
  if (makers.length === 0) return
  const making = makers.reduce((sum, maker) => sum + givenTo(maker, taker), 0n)
  const n = fills.findIndex(({ log_index }) => log_index === taker.log_index)
  fills[n] = fillOf({ ...taker, making }, refunds.get(taker) ?? 0n)
}

/**
 * What the taker gave for a maker's part. Orders of opposite sides trade one token. Of equal sides they are of both
 * outcomes: two purchases share the dollar of a minted pair, and two sales give as many shares each.
 */
function givenTo(maker: Filled, taker: Filled): bigint {
  if (maker.isBuy !== taker.isBuy) return maker.taking
  return taker.isBuy ? maker.taking - maker.making : maker.making
}

type Refunds = ReadonlyMap<Filled, bigint>

/** What was given back of the fees of fills. A refund follows its fill, and an order may be filled again. */
function refundsOf(events: readonly Placed<Filled | Matched | Refunded>[]): Refunds {
  const refunds = new Map<Filled, bigint>()
  for (const [n, event] of events.entries()) {
    if (event.kind !== 'refunded') continue
    const isOfOrder = (fill: ChainEventOfMatch): fill is Placed<Filled> =>
      fill.kind === 'filled' && fill.order === event.order && !refunds.has(fill)
    const fill = events.slice(0, n).findLast(isOfOrder)
    if (fill !== undefined) refunds.set(fill, event.amount)
  }
  return refunds
}
type ChainEventOfMatch = Placed<Filled | Matched | Refunded>

/** The fill of the taker of a match names the exchange as its taker. */
const roleOf = ({ taker, exchange }: Filled): ChainFill['role'] => (taker === exchange ? 'taker' : 'maker')

/** V1 takes its fee out of what the order gets; V2 takes dollars, on top of a purchase or out of a sale. */
function fillOf(event: Placed<Filled>, refund: bigint): ChainFill {
  const { isBuy, making, taking, isFeeInShares, maker: trader, token, log_index } = event
  const [gross, cash] = isBuy ? [taking, making] : [making, taking]
  const charged = event.fee > refund ? event.fee - refund : 0n
  const common = { trader, role: roleOf(event), isBuy, token, condition: null, price: priceOf(cash, gross), log_index }
  if (!isFeeInShares) return { ...common, size: gross, cash, fee: charged }
  const fee = gross === 0n ? 0n : (charged * cash) / gross
  return { ...common, size: gross - charged, cash: cash - fee, fee }
}

/** Cash for a share in millionths, rounded half up. */
export const priceOf = (cash: bigint, size: bigint): bigint =>
  size === 0n ? 0n : (2_000_000n * cash + size) / (2n * size)
