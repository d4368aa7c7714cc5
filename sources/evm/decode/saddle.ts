import type { Protocol } from './event/decoder.ts'
import { coinViews, numberedCoins } from './maps/numbered_coins.ts'

/** Saddle and its forks, which number coins as Curve does. */
export const saddle: Protocol = [
  {
    event:
      'event TokenSwap(address indexed buyer, uint256 tokensSold, uint256 tokensBought, uint128 soldId, uint128 boughtId)',
    family: 'saddle',
    map: {
      ...numberedCoins,
      coin0_index: 'soldId',
      coin1_index: 'boughtId',
      amount0: 'tokensSold',
      amount1: '-tokensBought',
    },
    tokenViews: [coinViews('getToken(uint8)')],
  },
]
