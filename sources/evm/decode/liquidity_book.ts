import { viewCall } from '#sources/evm/rpc/abi.ts'

import type { Field, Protocol } from './event/decoder.ts'
import { argumentAt } from './event/fields.ts'
import { uint } from './event/words.ts'
import { pair } from './maps/pair.ts'

/** What came in less what went out of a coin: the low half of both words is the first coin, the high half the second. */
const netHalf =
  (half: (packed: bigint) => bigint): Field =>
  (event) => {
    const [paid, got] = [argumentAt(event, 'amountsIn', 'data').n, argumentAt(event, 'amountsOut', 'data').n]
    return ({ data }) => half(uint(data, paid)) - half(uint(data, got))
  }

/** Liquidity Book of Trader Joe: liquidity in bins. A swap emits an event for each bin that it crosses. */
export const liquidityBook: Protocol = [
  {
    event:
      'event Swap(address indexed sender, address indexed to, uint24 id, bytes32 amountsIn, bytes32 amountsOut, uint24 volatilityAccumulator, bytes32 totalFees, bytes32 protocolFees)',
    family: 'liquidity_book',
    map: {
      ...pair,
      amount0: netHalf((packed) => BigInt.asUintN(128, packed)),
      amount1: netHalf((packed) => packed >> 128n),
      sender: 'sender',
      recipient: 'to',
    },
    tokenViews: [
      [viewCall('getTokenX()'), viewCall('getTokenY()')],
      [viewCall('tokenX()'), viewCall('tokenY()')],
    ],
  },
]
