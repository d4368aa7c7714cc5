import type { ChainFacts, SwapFact, TransactionFacts } from './facts.ts'
import { inOrder, whole, type Movements, type Span } from './movements.ts'

/** A wallet that may have traded. */
export type Candidate = {
  wallet: string
  seq: number
  span: Span
  /** The order that was settled for the wallet; its flows are those of the order alone. */
  order?: SwapFact
}

/** Contracts that place orders for others: the trader is the receiver of the order. */
const placers = new Set([
  // CoW's EthFlow, which sells the native coin. It has one address on all chains, in two versions.
  '0x40a50cf069e992aa4536211b23f286ef88752187',
  '0xba3cb449bd2b4adddbc894d8697f5170800eadec',
])

/**
 * The wallets that may have traded in a transaction: the accounts of user operations, the owners of settled orders, or
 * takers that a router names and the sender.
 */
export function candidatesOf(tx: TransactionFacts, movements: Movements): Candidate[] {
  if (tx.operations.length > 0) return operationsOf(tx)
  const swaps = inOrder(tx.swaps)
  const orders = swaps.filter(({ family }) => family === 'cow')
  if (orders.length > 0)
    return orders.flatMap((order) => {
      const wallet = traderOf(order, movements)
      return wallet === null ? [] : [{ wallet, seq: order.log_index, span: whole, order }]
    })
  const takers = swaps.map(({ trader }) => trader).filter((trader) => trader !== null)
  return [...new Set([...takers, tx.sender])].map((wallet) => ({ wallet, seq: -1, span: whole }))
}

function operationsOf({ operations }: TransactionFacts): Candidate[] {
  const sorted = inOrder(operations)
  return sorted.map(({ sender, log_index }, n) => ({
    wallet: sender,
    seq: log_index,
    span: { after: sorted[n - 1]?.log_index ?? Number.NEGATIVE_INFINITY, upTo: log_index },
  }))
}

/** The rows behind the flows of a `seq`: those of its operation, otherwise all. */
export const spanOf = (tx: TransactionFacts, seq: number): Span =>
  operationsOf(tx).find((operation) => operation.seq === seq)?.span ?? whole

/** The owner of an order, or its receiver if the owner places orders for others. */
function traderOf({ trader, sender, amount1 }: SwapFact, { tokens }: Movements): string | null {
  if (trader === null || !placers.has(trader)) return trader
  const payment = tokens.find((row) => row.sender === sender && row.amount === -(amount1 ?? 0n))
  return payment?.recipient ?? null
}

/** The contract wallet that a sender without movements calls, such as a Safe. A router keeps nothing and is none. */
export const calledOf = ({ recipient, swaps }: TransactionFacts, { isContract }: ChainFacts): Candidate[] =>
  recipient === null || isContract(recipient) === true || swaps.some(({ pool }) => pool === recipient)
    ? []
    : [{ wallet: recipient, seq: -1, span: whole }]

/**
 * The wallet of a transaction whose sender did not trade, such as a relayer: the receiver of the last movement that
 * also paid another token. It is no pool: a pool or vault gets exactly what a swap says that it got.
 */
export function receiverOf(tx: TransactionFacts, { tokens }: Movements, chain: ChainFacts): Candidate[] {
  const pools = new Set(tx.swaps.flatMap(({ pool, sender, family }) => [pool, family === 'metamask' ? null : sender]))
  const paidIn = new Set(tx.swaps.flatMap(({ amount0, amount1 }) => [amount0, amount1]))
  const receiver = tokens.findLast(
    ({ recipient, token }) =>
      recipient !== '' &&
      recipient !== tx.recipient &&
      !pools.has(recipient) &&
      chain.isContract(recipient) !== true &&
      !tokens.some((row) => row.recipient === recipient && paidIn.has(row.amount)) &&
      tokens.some((row) => row.sender === recipient && row.token !== token),
  )
  return receiver === undefined ? [] : [{ wallet: receiver.recipient, seq: -1, span: whole }]
}
