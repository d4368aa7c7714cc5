import type { ChainFacts, TransactionFacts } from './flows/facts.ts'
import type { InputRow } from './transaction_rows.ts'

const amountOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

/** The facts of a transaction from its rows, of which the first is the transaction itself. */
export const factsOf = (transaction: InputRow, rows: readonly InputRow[]): TransactionFacts => ({
  sender: transaction.sender ?? '',
  recipient: transaction.recipient,
  amount: amountOf(transaction.amount0) ?? 0n,
  is_ok: transaction.is_ok,
  is_traced: transaction.is_traced === true,
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

/** Values from here on are not priced, as in the ledger of lots: 2 billion US dollars, in millionths. */
const pricedLimit = 2e15

/** The facts of the chain in the rows: the tokens of pools, the code of recipients, and prices at the time. */
export function chainOf({ wrapped }: InputRow, rows: readonly InputRow[]): ChainFacts {
  const pools = new Map<string, string>()
  const contracts = new Map<string, boolean>()
  const prices = new Map<string, number>()
  let plain: string | null = null
  for (const { kind, pool, tokens, recipient, is_contract, is_plain, token0, usd_per_unit } of rows) {
    if (is_plain === true) plain = recipient
    if (pool !== null && tokens !== null) pools.set(pool, tokens)
    if (recipient !== null && is_contract !== null) contracts.set(recipient, is_contract)
    const token = kind === 'transaction' || token0 === wrapped ? 'native' : token0
    if (token !== null && usd_per_unit !== null) prices.set(token, usd_per_unit)
  }
  return {
    wrapped,
    tokensOf: (pool) => pools.get(pool)?.split(','),
    isPlain: (address) => address === plain,
    isContract: (address) => contracts.get(address),
    usdOf: (token, amount) => {
      const millionths = Number(amount) * 1_000_000 * (prices.get(token) ?? Number.NaN)
      return millionths < pricedLimit ? BigInt(Math.round(millionths)) : null
    },
  }
}
