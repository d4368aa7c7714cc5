import type { Fields, Protocol, Read } from './event/decoder.ts'
import { valueRead } from './event/fields.ts'
import type { EventShape } from './event/signature.ts'

/** Events that name the tokens but no user. */
const named: Fields<'swaps'> = { token0: 'tokenIn', token1: 'tokenOut', amount0: 'amountIn', amount1: '-amountOut' }

/** The id of a pool of version 2 begins with its address. */
const poolAddress = (event: EventShape): Read<string> => {
  const id = valueRead(event, 'poolId')
  return (log) => String(id(log)).slice(0, 42)
}

/** A swap that has the pool's own share as a token is a join or an exit. */
const isSwap = (event: EventShape): Read<boolean> => {
  const [pool, ...tokens] = [poolAddress(event), valueRead(event, 'tokenIn'), valueRead(event, 'tokenOut')]
  return (log) => {
    const address = pool(log)
    return !tokens.some((token) => token(log) === address)
  }
}

/** Balancer. The pools of versions 2 and 3 are in a vault, which emits their events. */
export const balancer: Protocol = [
  {
    event:
      'event LOG_SWAP(address indexed caller, address indexed tokenIn, address indexed tokenOut, uint256 tokenAmountIn, uint256 tokenAmountOut)',
    family: 'balancer_v1',
    map: { ...named, pool: 'this', amount0: 'tokenAmountIn', amount1: '-tokenAmountOut', sender: 'caller' },
  },
  {
    event:
      'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
    family: 'balancer_v2',
    map: { ...named, pool: poolAddress },
    isFact: isSwap,
    emitters: () => ['0xba12222222228d8ba445958a75a0704d566bf2c8'],
  },
  {
    event:
      'event Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount)',
    // The vault of GMX, which indexes nothing.
    unrelated: [1],
    family: 'balancer_v3',
    map: { ...named, pool: 'pool' },
    emitters: () => ['0xba1333333333a1ba1108e8412f11850a5c319ba9'],
  },
]
