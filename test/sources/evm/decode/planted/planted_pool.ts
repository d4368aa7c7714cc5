import type { Protocol } from '#sources/evm/decode/event/decoder.ts'
import { directed } from '#sources/evm/decode/maps/directed.ts'
import { creation } from '#sources/evm/decode/maps/pair.ts'
import { viewCall } from '#sources/evm/rpc/abi.ts'

/** A pool that numbers its coins, with the views and the creation that name them. */
export const plantedPool: Protocol = [
  {
    event: 'event Exchanged(bool isFirst, uint128 amountIn, uint128 amountOut, address indexed to)',
    family: 'planted_pool',
    map: { ...directed('isFirst'), recipient: 'to' },
    tokenViews: [[viewCall('coinA()'), viewCall('coinB()')]],
  },
  {
    dataset: 'pools',
    event: 'event Planted(address indexed token0, address indexed token1, address pool)',
    family: 'planted_pool',
    map: creation,
  },
]
