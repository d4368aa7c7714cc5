import type { Protocol } from './event/decoder.ts'

/** Tokenlon: quotes of market makers. The person signs, and gets the amount less the fee. */
export const tokenlon: Protocol = [
  {
    event:
      'event FillOrder(string source, bytes32 indexed transactionHash, bytes32 indexed orderHash, address indexed userAddr, address takerAssetAddr, uint256 takerAssetAmount, address makerAddr, address makerAssetAddr, uint256 makerAssetAmount, address receiverAddr, uint256 settleAmount, uint16 feeFactor)',
    family: 'tokenlon',
    map: {
      token0: 'takerAssetAddr',
      token1: 'makerAssetAddr',
      amount0: 'takerAssetAmount',
      amount1: '-settleAmount',
      sender: 'userAddr',
      recipient: 'receiverAddr',
      trader: 'userAddr',
    },
  },
]
