import type { Fields, Protocol } from './event/decoder.ts'

const route: Fields<'swaps'> = {
  token0: 'srcToken',
  token1: 'destToken',
  amount0: 'srcAmount',
  amount1: '-receivedAmount',
  sender: 'initiator',
  recipient: 'beneficiary',
}

/** ParaSwap 5, and fills of its signed orders. Version 6 has no events of its own. */
export const paraswap: Protocol = [
  {
    event:
      'event SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    family: 'paraswap_v5',
    map: route,
  },
  {
    event:
      'event BoughtV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    family: 'paraswap_v5',
    map: route,
  },
  {
    event:
      'event SwappedDirect(bytes16 uuid, address partner, uint256 feePercent, address initiator, uint8 kind, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    family: 'paraswap_v5',
    map: route,
  },
  {
    event:
      'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address makerAsset, uint256 makerAmount, address indexed taker, address takerAsset, uint256 takerAmount)',
    family: 'paraswap_rfq',
    map: {
      pool: 'maker',
      token0: 'takerAsset',
      token1: 'makerAsset',
      amount0: 'takerAmount',
      amount1: '-makerAmount',
      sender: 'taker',
      recipient: 'taker',
    },
  },
]
