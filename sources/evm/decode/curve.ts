import type { Protocol } from './event/decoder.ts'
import { coinViews, numberedCoins as map } from './maps/numbered_coins.ts'

const tokenViews = [coinViews('coins(uint256)'), coinViews('coins(int128)')]

/**
 * Curve. An underlying exchange numbers the coins of a meta pool after those of its base pool, which emits an event of
 * its own.
 */
export const curve: Protocol = [
  {
    event:
      'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
    family: 'curve_stable',
    map,
    tokenViews,
  },
  {
    event:
      'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought)',
    family: 'curve_crypto',
    map,
    tokenViews,
  },
  {
    event:
      'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought, uint256 fee, uint256 packed_price_scale)',
    family: 'curve_crypto_ng',
    map,
    tokenViews,
  },
  {
    event:
      'event TokenExchangeUnderlying(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
    family: 'curve_meta',
    map,
    tokenViews,
  },
]
