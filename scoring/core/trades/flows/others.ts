import { hasDeltas, otherDeltaFlowsOf } from './deltas.ts'
import type { ChainFacts, Flow, TransactionFacts } from './facts.ts'
import { movementsOf, type Movements } from './movements.ts'

/**
 * The net movements of a transaction that `flows` lacks: those of addresses that are neither candidates nor pools, and
 * those of a candidate outside its operations or orders. An address that trades elsewhere received or sent them.
 */
export function otherFlowsOf(tx: TransactionFacts, flows: readonly Flow[], chain: ChainFacts): Flow[] {
  if (!tx.is_ok) return []
  if (hasDeltas(tx)) return otherDeltaFlowsOf(tx)
  const movements = movementsOf(tx, chain)
  const skipped = new Set<string>(['', ...tx.swaps.flatMap(({ pool }) => (pool === null ? [] : [pool]))])
  // The flows of a whole transaction have all movements, also those that no row shows.
  for (const { wallet, seq } of flows) if (seq < 0) skipped.add(wallet)
  const deltas = new Map<string, Map<string, bigint>>()
  const add = (wallet: string, token: string, amount: bigint): void => {
    if (skipped.has(wallet)) return
    const walletDeltas = deltas.get(wallet) ?? new Map<string, bigint>()
    deltas.set(wallet, walletDeltas.set(token, (walletDeltas.get(token) ?? 0n) + amount))
  }
  for (const { sender, recipient, token, amount } of [...movements.tokens, ...movements.internals]) {
    add(sender, token, -amount)
    add(recipient, token, amount)
  }
  if (!movements.internals.some(({ log_index }) => log_index >= 0)) {
    add(tx.sender, 'native', -tx.amount)
    add(tx.recipient ?? '', 'native', tx.amount)
  }
  const named = new Set(flows.map(({ wallet }) => wallet))
  for (const { wallet, token, amount } of flows) add(wallet, token, -amount)
  return [...deltas].flatMap(([wallet, walletDeltas]) =>
    [...walletDeltas].flatMap(([token, amount]) => {
      // An order pays the native coin without a row.
      const isUnseen = token === 'native' && named.has(wallet)
      return amount === 0n || isUnseen ? [] : [{ wallet, seq: -1, token, amount, is_inferred: false, is_bound: false }]
    }),
  )
}

/** The other side of a flow: that of the largest movement in its direction, '' if no row shows one. */
export function counterpartyOf({ wallet, token, amount }: Flow, tx: TransactionFacts, movements: Movements): string {
  const isIn = amount > 0n
  let [largest, other] = [0n, '']
  for (const row of [...movements.tokens, ...movements.internals]) {
    if (row.token !== token || (isIn ? row.recipient : row.sender) !== wallet || row.amount <= largest) continue
    largest = row.amount
    other = isIn ? row.sender : row.recipient
  }
  if (token !== 'native' || tx.amount <= largest) return other
  if (isIn) return tx.recipient === wallet ? tx.sender : other
  return tx.sender === wallet ? (tx.recipient ?? '') : other
}
