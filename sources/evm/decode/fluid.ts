import type { Protocol } from './event/decoder.ts'
import { directed } from './maps/directed.ts'

/** The exchange of Fluid, whose pools borrow and lend their coins. */
export const fluid: Protocol = [
  {
    event: 'event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to)',
    family: 'fluid',
    map: { ...directed('swap0to1'), recipient: 'to' },
  },
]
