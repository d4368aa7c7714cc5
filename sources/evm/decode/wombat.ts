import type { Protocol } from './event/decoder.ts'

/** Wombat: pools of many stable coins, whose events name the two of a swap. */
export const wombat: Protocol = [
  {
    event:
      'event Swap(address indexed sender, address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address indexed to)',
    family: 'wombat',
    map: {
      pool: 'this',
      token0: 'fromToken',
      token1: 'toToken',
      amount0: 'fromAmount',
      amount1: '-toAmount',
      sender: 'sender',
      recipient: 'to',
    },
  },
]
