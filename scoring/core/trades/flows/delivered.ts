import type { ChainFacts, Flow, SwapFact, Trade, TransactionFacts, TransferFact } from './facts.ts'
import { keeperOf } from './keeper.ts'
import { countedAs, inOrder, movementsOf, whole, type Movements } from './movements.ts'
import { isFee, tallyOf } from './native.ts'

/**
 * The trade of a transaction that no wallet has both legs of. A sender who only paid bought what the last swap sent on
 * to another address or bridge: the last movement of that token. Without a paying sender, the receiver that a router
 * names sold what the router was given for it, such as a bridged token. The trade is that of the wallet that the
 * receiver passed the result on to, if there is one.
 */
export function deliveredTrade(tx: TransactionFacts, flows: readonly Flow[], chain: ChainFacts): Omit<Trade, 'seq'>[] {
  const movements = movementsOf(tx, chain)
  const swaps = inOrder(tx.swaps)
  const last = swaps.findLast(({ recipient }) => recipient !== null)
  if (last === undefined) return []
  const senderFlows = flows.filter(({ wallet }) => wallet === tx.sender)
  if (senderFlows.some(({ amount }) => amount > 0n)) return []
  const countOf = (token: string): string => countedAs(token, movements, chain)
  if (senderFlows.length === 0)
    return receivedTrade(last, countOf).map((trade) => ({ ...trade, ...keeperOf(trade, { tx, chain, movements }) }))
  // The native coin beside a token is the fee of a message to another chain.
  const paid = senderFlows.length === 1 ? senderFlows : senderFlows.filter(({ token }) => token !== 'native')
  const [sold] = paid
  if (sold === undefined || paid.length > 1) return []
  const payout = swaps.map((swap) => payoutOf(swap, sold.token, movements)).findLast((row) => row !== undefined)
  const delivered = movements.tokens.findLast(({ token }) => token === payout?.token)
  const amount_bought = delivered === undefined ? 0n : passedOn(delivered, movements)
  if (delivered === undefined || amount_bought === 0n) return []
  return [
    {
      wallet: tx.sender,
      kind: 'swap',
      token_sold: sold.token,
      amount_sold: spentOf(
        sold,
        () => tallyOf({ swaps: tx.swaps, movements, chain, span: whole, wallet: tx.sender }).used,
      ),
      token_bought: delivered.token,
      amount_bought,
      is_bound: sold.is_bound,
      is_certain: true,
    },
  ]
}

/**
 * The amount of a delivery. Of coin that its receiver unwrapped, it is the largest amount that the receiver paid on, if
 * all movements of the native coin are shown.
 */
function passedOn(delivered: TransferFact, { unwraps, internals, areShown }: Movements): bigint {
  const { token, amount } = delivered
  const receiver = delivered.recipient === '' ? delivered.sender : delivered.recipient
  if (!areShown || token !== 'native' || !unwraps.some(({ sender }) => sender === receiver)) return amount
  const paid = internals.filter(({ sender }) => sender === receiver).map((row) => row.amount)
  return paid.reduce((most, sum) => (sum > most ? sum : most), 0n)
}

/** What a swap paid out in another token than the one sold. Some events do not name the receiver, but the amount. */
function payoutOf(
  { pool, recipient, amount0, amount1 }: SwapFact,
  sold: string,
  { tokens }: Movements,
): TransferFact | undefined {
  const isPayout = (row: TransferFact): boolean =>
    recipient === null
      ? row.amount > 0n && (row.amount === -(amount0 ?? 0n) || row.amount === -(amount1 ?? 0n))
      : row.recipient === recipient && (pool === null || row.sender === pool)
  return tokens.findLast((row) => row.token !== sold && isPayout(row))
}

/** The amount that a flow spent on a swap. A large rest of the native coin is the fee of a message to another chain. */
function spentOf({ token, amount }: Flow, usedOf: () => bigint): bigint {
  const used = token === 'native' ? usedOf() : 0n
  return used > 0n && used < -amount && !isFee(-amount - used, -amount) ? used : -amount
}

function receivedTrade(
  { pool, recipient, token0, token1, amount0, amount1 }: SwapFact,
  countOf: (token: string) => string,
): Omit<Trade, 'seq'>[] {
  if (pool !== null || recipient === null || token0 === null || token1 === null) return []
  if (amount0 === null || amount1 === null || amount0 <= 0n || amount1 >= 0n) return []
  return [
    {
      wallet: recipient,
      kind: 'swap',
      token_sold: countOf(token0),
      amount_sold: amount0,
      token_bought: countOf(token1),
      amount_bought: -amount1,
      is_bound: false,
      is_certain: true,
    },
  ]
}
