import type { ChainFacts, TransactionFacts } from './flows/facts.ts'
import type { InputRow } from './input.ts'

const amountOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

/** The facts of a transaction from its rows, of which the first is the transaction itself. */
export const factsOf = (transaction: InputRow, rows: readonly InputRow[]): TransactionFacts => ({
  sender: transaction.sender ?? '',
  recipient: transaction.recipient,
  amount: amountOf(transaction.amount0) ?? 0n,
  is_ok: transaction.is_ok,
  swaps: rows
    .filter(({ kind }) => kind === 'swap')
    .map((row) => ({
      ...row,
      family: row.family ?? '',
      amount0: amountOf(row.amount0),
      amount1: amountOf(row.amount1),
    })),
  transfers: rows
    .filter(({ kind }) => kind === 'transfer')
    .map(({ log_index, family, token0, sender, recipient, amount0 }) => ({
      log_index,
      kind: family ?? '',
      token: token0 ?? '',
      sender: sender ?? '',
      recipient: recipient ?? '',
      amount: amountOf(amount0) ?? 0n,
    })),
  operations: rows
    .filter(({ kind }) => kind === 'operation')
    .map(({ log_index, sender, is_ok }) => ({ log_index, sender: sender ?? '', is_ok })),
})

/** What the rows say of the chain. No price is known before there are trades, and no code was read. */
export function chainOf({ wrapped }: InputRow, rows: readonly InputRow[]): ChainFacts {
  const pools = new Map(
    rows.flatMap(({ pool, tokens }) => (pool === null || tokens === null ? [] : [[pool, tokens] as const])),
  )
  return {
    wrapped,
    tokensOf: (pool) => pools.get(pool)?.split(','),
    isContract: () => undefined,
    usdOf: () => null,
  }
}
