import type { Protocol } from './event/decoder.ts'

/** CoW Protocol: the settlement of signed orders, whose owner is the trader. */
export const cow: Protocol = [
  {
    event:
      'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
    family: 'cow',
    map: {
      token0: 'sellToken',
      token1: 'buyToken',
      amount0: 'sellAmount',
      amount1: '-buyAmount',
      sender: 'this',
      trader: 'owner',
    },
    emitters: () => ['0x9008d19f58aabd9ed0d60971565aa8510560ab41'],
  },
]
