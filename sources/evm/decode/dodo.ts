import { viewCall } from '#sources/evm/rpc/abi.ts'

import type { Protocol } from './event/decoder.ts'
import { pair } from './maps/pair.ts'

/** DODO: pools with a price of their own making. The `trader` of version 2 is mostly a router. */
export const dodo: Protocol = [
  {
    event: 'event SellBaseToken(address indexed seller, uint256 payBase, uint256 receiveQuote)',
    family: 'dodo_v1',
    map: { ...pair, amount0: 'payBase', amount1: '-receiveQuote', sender: 'seller', recipient: 'seller' },
    tokenViews: [[viewCall('_BASE_TOKEN_()'), viewCall('_QUOTE_TOKEN_()')]],
  },
  {
    event: 'event BuyBaseToken(address indexed buyer, uint256 receiveBase, uint256 payQuote)',
    family: 'dodo_v1',
    map: { ...pair, amount0: '-receiveBase', amount1: 'payQuote', sender: 'buyer', recipient: 'buyer' },
  },
  {
    event:
      'event DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver)',
    family: 'dodo_v2',
    map: {
      pool: 'this',
      token0: 'fromToken',
      token1: 'toToken',
      amount0: 'fromAmount',
      amount1: '-toAmount',
      sender: 'trader',
      recipient: 'receiver',
    },
  },
]
