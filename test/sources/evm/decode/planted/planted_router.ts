import type { Protocol } from '#sources/evm/decode/event/decoder.ts'

/** A router whose event names its tokens. */
export const plantedRouter: Protocol = [
  {
    event:
      'event Routed(address indexed user, address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOut, bytes route)',
    family: 'planted_router',
    map: { token0: 'tokenIn', token1: 'tokenOut', amount0: 'amountIn', amount1: '-amountOut', trader: 'user' },
    emitters: () => ['0x00000000000000000000000000000000000000aa'],
  },
]
