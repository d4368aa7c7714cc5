import { viewCall } from '#sources/evm/rpc/abi.ts'

import type { Protocol } from './event/decoder.ts'
import { directed } from './maps/directed.ts'

const parties = { sender: 'sender', recipient: 'recipient' }
const tokenViews = [[viewCall('tokenA()'), viewCall('tokenB()')]]

/** Maverick: liquidity in bins. */
export const maverick: Protocol = [
  {
    event:
      'event Swap(address sender, address recipient, bool tokenAIn, bool exactOutput, uint256 amountIn, uint256 amountOut, int32 activeTick)',
    family: 'maverick_v1',
    map: { ...directed('tokenAIn'), ...parties },
    tokenViews,
  },
  {
    event:
      'event PoolSwap(address sender, address recipient, (uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, uint256 amountIn, uint256 amountOut)',
    family: 'maverick_v2',
    map: { ...directed('params.tokenAIn'), ...parties },
    tokenViews,
  },
]
