import type { EvmLedger } from '#sim/evm/ledger/ledger.ts'
import type { PoolSwap, TrueTrade } from '#sim/evm/types.ts'

import { tradesOf, type SimulatedChain } from './simulated_chain.ts'

/**
 * The true ledger of a simulated chain up to a block, in the form of the ledger of a real node. `trueBooks` values
 * both. The wrapped coin is `native`. The wallets begin with their dollars, so the ledger has no transfers.
 */
export function trueLedger(chain: SimulatedChain, head: number): EvmLedger {
  const nameOf = (token: string): string => (token === chain.wrapped ? 'native' : token)
  const made = Array.from({ length: head + 1 }, (_, block) => tradesOf(chain, block)).flat()
  const holdings = new Map<string, bigint>()
  const hold = (wallet: string, token: string, amount: bigint): unknown =>
    holdings.set(`${wallet} ${token}`, (holdings.get(`${wallet} ${token}`) ?? 0n) + amount)
  const trades = made.map(({ pool: _, family: __, ...trade }): TrueTrade => {
    const [token_sold, token_bought] = [nameOf(trade.token_sold), nameOf(trade.token_bought)]
    hold(trade.wallet, token_sold, -trade.amount_sold)
    hold(trade.wallet, token_bought, trade.amount_bought)
    return { ...trade, ts_s: chain.start_s + chain.block_s * trade.block, kind: 'swap', token_sold, token_bought }
  })
  const poolSwaps = trades.map((trade, n): PoolSwap => ({
    block: trade.block,
    tx: trade.tx,
    ts_s: trade.ts_s,
    sender: trade.wallet,
    pool: made[n]?.pool ?? '',
    token_in: trade.token_sold,
    amount_in: trade.amount_sold,
    token_out: trade.token_bought,
    amount_out: trade.amount_bought,
  }))
  return { trades, transfers: [], poolSwaps, otherGas: [], holdings }
}
