import type { Fields, Protocol } from './event/decoder.ts'

const route: Fields<'swaps'> = {
  token0: 'tokenIn',
  token1: 'tokenOut',
  amount0: 'amountIn',
  amount1: '-amountOut',
  sender: 'from',
  recipient: 'to',
}

/** The routers of Sushi. Its pools emit the events of Uniswap. */
export const sushi: Protocol = [
  {
    event:
      'event Route(address indexed from, address to, address indexed tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut, int256 slippage, uint32 indexed referralCode, bytes32 diagnostics)',
    family: 'sushi_route',
    map: route,
  },
  {
    event:
      'event Route(address indexed from, address to, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOutMin, uint256 amountOut)',
    family: 'sushi_route',
    map: route,
  },
]
