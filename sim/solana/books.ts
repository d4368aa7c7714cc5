import type { EvmLedger } from '#sim/evm/ledger/ledger.ts'

import type { MadeTrade } from './made_trades.ts'
import { mainnet } from './names.ts'

/** The place of a transaction. */
type At = { block: number; tx_index: number; tx: string; ts_s: number }

/** The book of what truly happened, in the form of the chains of a real node, so that the same rules value it. */
export type Books = {
  ledger: EvmLedger
  trade: (at: At, wallet: string, made: MadeTrade, kind?: 'swap' | 'arbitrage') => void
  move: (at: At, transfer: { from: string; to: string; token: string; amount: bigint }) => void
  gas: (at: At, wallet: string, gas_fee: bigint) => void
}

/** SOL and its wrapped form are one token. */
export const tokenNameOf = (mint: string): string => (mint === mainnet.wrapped ? 'native' : mint)

export function createBooks(wallets: readonly string[]): Books {
  const ledger: EvmLedger = { trades: [], transfers: [], poolSwaps: [], otherGas: [], holdings: new Map() }
  const hold = (wallet: string, token: string, amount: bigint): void => {
    const key = `${wallet} ${token}`
    ledger.holdings.set(key, (ledger.holdings.get(key) ?? 0n) + amount)
  }
  return {
    ledger,
    trade: (at, wallet, { sold, bought, swaps, gas_fee }, kind = 'swap') => {
      const [token_sold, token_bought] = [tokenNameOf(sold.mint), tokenNameOf(bought.mint)]
      ledger.trades.push({
        ...at,
        wallet,
        kind,
        token_sold,
        amount_sold: sold.amount,
        token_bought,
        amount_bought: bought.amount,
        gas_fee,
      })
      hold(wallet, token_sold, -sold.amount)
      hold(wallet, token_bought, bought.amount)
      for (const { pool, sold: paid, bought: received } of swaps) {
        const [token_in, token_out] = [tokenNameOf(paid.mint), tokenNameOf(received.mint)]
        const amounts = { amount_in: paid.amount, amount_out: received.amount }
        ledger.poolSwaps.push({ ...at, sender: wallet, pool: pool.address, token_in, token_out, ...amounts })
      }
    },
    move: (at, { from, to, token, amount }) => {
      for (const [wallet, counterparty, direction] of [
        [from, to, 'out'],
        [to, from, 'in'],
      ] as const) {
        if (!wallets.includes(wallet)) continue
        ledger.transfers.push({ ...at, wallet, counterparty, direction, token, amount, log_index: 0 })
        hold(wallet, token, direction === 'in' ? amount : -amount)
      }
    },
    gas: (at, wallet, gas_fee) => void ledger.otherGas.push({ ...at, wallet, gas_fee }),
  }
}
