import type { Protocol } from './event/decoder.ts'

/**
 * 1inch: routes, and fills of signed orders, which prove a swap without its amounts. KyberSwap emits the event of its
 * routes too. The router of version 6 has no event of its own.
 */
export const oneinch: Protocol = [
  {
    event:
      'event Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
    family: 'swapped',
    map: {
      token0: 'srcToken',
      token1: 'dstToken',
      amount0: 'spentAmount',
      amount1: '-returnAmount',
      sender: 'sender',
      recipient: 'dstReceiver',
    },
  },
  {
    event: 'event OrderFilled(address indexed maker, bytes32 orderHash, uint256 remaining)',
    family: 'oneinch_limit_v5',
    map: { pool: 'maker', trader: 'maker' },
  },
  {
    event: 'event OrderFilled(bytes32 orderHash, uint256 remainingAmount)',
    family: 'oneinch_limit_v6',
    map: {},
  },
]
