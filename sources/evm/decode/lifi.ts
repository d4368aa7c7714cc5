import type { Protocol } from './event/decoder.ts'

/** LI.FI, a router of routers. */
export const lifi: Protocol = [
  {
    event:
      'event LiFiGenericSwapCompleted(bytes32 indexed transactionId, string integrator, string referrer, address receiver, address fromAssetId, address toAssetId, uint256 fromAmount, uint256 toAmount)',
    family: 'lifi',
    map: {
      token0: 'fromAssetId',
      token1: 'toAssetId',
      amount0: 'fromAmount',
      amount1: '-toAmount',
      recipient: 'receiver',
    },
  },
]
