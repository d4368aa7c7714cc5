import type { Fields } from '#sources/evm/decode/event/decoder.ts'
import { difference } from '#sources/evm/decode/event/fields.ts'

import { pair } from './pair.ts'

/** Pools with reserves, whose events name what came in and what went out of each coin. Both may come in at once. */
export const constantProduct: Fields<'swaps'> = {
  ...pair,
  amount0: difference('amount0In', 'amount0Out'),
  amount1: difference('amount1In', 'amount1Out'),
  sender: 'sender',
  recipient: 'to',
}
