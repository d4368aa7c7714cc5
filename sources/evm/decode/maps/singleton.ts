import type { Fields } from '#sources/evm/decode/event/decoder.ts'

import { pair } from './pair.ts'

/**
 * Pools of one contract, named by a hash of 32 bytes. Their amounts are signed as the trader sees them, so both signs
 * are turned. The tokens of a pool stand in its `Initialize` event alone; the native coin has the address 0.
 */
export const singleton: Fields<'swaps'> = {
  ...pair,
  pool: 'id',
  amount0: '-amount0',
  amount1: '-amount1',
  sender: 'sender',
}

/** The state after a swap, of pools with a price. */
export const priceState: Fields<'swaps'> = { sqrt_price: 'sqrtPriceX96', liquidity: 'liquidity' }
