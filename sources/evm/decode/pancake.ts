import type { Protocol } from './event/decoder.ts'
import { concentrated } from './maps/concentrated.ts'
import { pairViews } from './maps/pair.ts'
import { priceState, singleton } from './maps/singleton.ts'

/** PancakeSwap V3 and Infinity. Its version 2 emits the events of Uniswap V2. */
export const pancake: Protocol = [
  {
    event:
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
    family: 'pancake_v3',
    map: concentrated,
    tokenViews: pairViews,
  },
  {
    event:
      'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee)',
    family: 'pancake_infinity_cl',
    map: { ...singleton, ...priceState },
  },
  {
    event:
      'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)',
    family: 'pancake_infinity_bin',
    map: singleton,
  },
]
