import type { Fields } from '#sources/evm/decode/event/decoder.ts'

import { pair } from './pair.ts'

/**
 * Pools of concentrated liquidity with a contract each. Slipstream and the first version of Algebra emit the event of
 * Uniswap V3. Amounts are signed as the pool sees them.
 */
export const concentrated: Fields<'swaps'> = {
  ...pair,
  amount0: 'amount0',
  amount1: 'amount1',
  sender: 'sender',
  recipient: 'recipient',
  sqrt_price: 'sqrtPriceX96',
  liquidity: 'liquidity',
}
