import type { Protocol } from './event/decoder.ts'
import { constantProduct } from './maps/constant_product.ts'
import { creation, pairViews } from './maps/pair.ts'

/**
 * Solidly with its forks Velodrome and Aerodrome. Their pools of concentrated liquidity, Slipstream, emit the swaps of
 * Uniswap V3.
 */
export const solidly: Protocol = [
  {
    event:
      'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
    family: 'solidly',
    map: constantProduct,
    tokenViews: pairViews,
  },
  {
    dataset: 'pools',
    event: 'event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 n)',
    family: 'solidly',
    map: { ...creation, pool: 'pair' },
  },
  {
    dataset: 'pools',
    event:
      'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 n)',
    family: 'solidly',
    map: creation,
  },
  {
    dataset: 'pools',
    event: 'event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)',
    family: 'uniswap_v3',
    map: creation,
  },
]
