import type { Fields, Protocol } from './event/decoder.ts'

const swap: Fields<'swaps'> = {
  token0: 'fromToken',
  token1: 'toToken',
  amount0: 'fromAmount',
  amount1: '-toAmount',
  sender: 'from',
  recipient: 'to',
}

/** WOOFi: pools with a price of their own making, and the router before them. */
export const woofi: Protocol = [
  {
    event:
      'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo)',
    family: 'woofi',
    map: { ...swap, pool: 'this' },
  },
  {
    event:
      'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo, uint256 swapVol, uint256 swapFee)',
    family: 'woofi',
    map: { ...swap, pool: 'this' },
  },
  {
    event:
      'event WooRouterSwap(uint8 swapType, address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo)',
    family: 'woofi_router',
    map: swap,
  },
]
