import type { ChainFacts, SwapFact, TransactionFacts, TransferFact } from '#scoring/core/trades/flows/facts.ts'
import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'

export const weth = '0xweth'

export const someChain = (more: Partial<ChainFacts> = {}): ChainFacts => ({
  wrapped: weth,
  tokensOf: () => undefined,
  isPlain: () => false,
  isContract: () => undefined,
  usdOf: () => null,
  ...more,
})

const noSwap: Omit<SwapFact, 'log_index'> = {
  family: 'uniswap_v3',
  pool: 'pool',
  coin0_index: 0,
  coin1_index: 1,
  token0: null,
  token1: null,
  amount0: null,
  amount1: null,
  sender: 'router',
  recipient: 'router',
  trader: null,
}

/** A log of a transaction, whose index is its place in the list. */
export type Log = Partial<SwapFact> | Omit<TransferFact, 'log_index'> | { operation: string }
export const move = (token: string, sender: string, recipient: string, amount: bigint) => ({
  kind: 'transfer',
  token,
  sender,
  recipient,
  amount,
})
export const wrap = (by: string, amount: bigint) => ({ ...move(weth, '', by, amount), kind: 'wrap' })
export const unwrap = (by: string, amount: bigint) => ({ ...move(weth, by, '', amount), kind: 'unwrap' })
export const swap = (pool: string, more: Partial<SwapFact> = {}): Partial<SwapFact> => ({ pool, ...more })

/** A transaction of `ann` that calls `router`. */
export function txOf(logs: readonly Log[], more: Partial<TransactionFacts> = {}): TransactionFacts {
  const rows = logs.map((log, log_index) => ({ ...log, log_index }))
  return {
    sender: 'ann',
    recipient: 'router',
    amount: 0n,
    is_ok: true,
    is_traced: false,
    swaps: rows.flatMap((row) => ('kind' in row || 'operation' in row ? [] : [{ ...noSwap, ...row }])),
    transfers: rows.flatMap((row) => ('kind' in row ? [row] : [])),
    operations: rows.flatMap((row) =>
      'operation' in row ? [{ log_index: row.log_index, sender: row.operation, is_ok: true }] : [],
    ),
    ...more,
  }
}

/** The trades of a transaction as lines: `ann: 5 usdc -> 2 native (bound)`. */
export const tradesIn = (tx: TransactionFacts, chain = someChain()): string[] =>
  tradesOf(tx, flowsOf(tx, chain), chain).map(
    ({ wallet, kind, token_sold, amount_sold, token_bought, amount_bought, is_bound, is_certain }) =>
      `${wallet}: ${amount_sold} ${token_sold} -> ${amount_bought} ${token_bought}` +
      `${kind === 'swap' ? '' : ` (${kind})`}${is_bound ? ' (bound)' : ''}${is_certain ? '' : ' (possible)'}`,
  )
