import type { Fields } from '#sources/evm/decode/event/decoder.ts'
import { viewCall } from '#sources/evm/rpc/abi.ts'

/** Pools of several coins, whose events number the coins. */
export const numberedCoins: Fields<'swaps'> = {
  pool: 'this',
  coin0_index: 'sold_id',
  coin1_index: 'bought_id',
  amount0: 'tokens_sold',
  amount1: '-tokens_bought',
  sender: 'buyer',
  recipient: 'buyer',
}

/** The most coins of such a pool. */
const mostCoins = 8

/** A view of each coin, by its number. */
export const coinViews = (signature: string): string[] =>
  Array.from({ length: mostCoins }, (_, n) => viewCall(signature, n))
