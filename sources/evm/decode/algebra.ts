import type { Protocol } from './event/decoder.ts'
import { concentrated } from './maps/concentrated.ts'
import { creation, pairViews } from './maps/pair.ts'

/** Algebra Integral, with the creations of all versions of Algebra. */
export const algebra: Protocol = [
  {
    event:
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick, uint24 overrideFee, uint24 pluginFee)',
    family: 'algebra_integral',
    map: { ...concentrated, sqrt_price: 'price' },
    tokenViews: pairViews,
  },
  {
    dataset: 'pools',
    event: 'event Pool(address indexed token0, address indexed token1, address pool)',
    family: 'algebra_integral',
    map: creation,
  },
]
