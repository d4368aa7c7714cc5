import type { Fields } from '#sources/evm/decode/event/decoder.ts'
import { either } from '#sources/evm/decode/event/fields.ts'

import { pair } from './pair.ts'

/** A pool of two coins, whose event names the amounts by their direction and a flag that is true if coin 0 came in. */
export const directed = (flag: string): Fields<'swaps'> => ({
  ...pair,
  amount0: either(flag, 'amountIn', '-amountOut'),
  amount1: either(flag, '-amountOut', 'amountIn'),
})
