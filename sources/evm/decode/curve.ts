import { swapOf, type EventDecoder, type RawLog, type SwapEvent } from './event.ts'
import { index, topicAddress, uint } from './words.ts'

/**
 * Pools of several coins, whose events number the coins. An underlying exchange numbers the coins of a meta pool after
 * those of its base pool, which emits an event of its own.
 */
export const curve: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
    topic0: '0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140',
    n_topics: 2,
    n_words: 4,
    decode: (log) => exchange('curve_stable', log),
  },
  {
    dataset: 'swaps',
    event:
      'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought)',
    topic0: '0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98',
    n_topics: 2,
    n_words: 4,
    decode: (log) => exchange('curve_crypto', log),
  },
  {
    dataset: 'swaps',
    event:
      'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought, uint256 fee, uint256 packed_price_scale)',
    topic0: '0x143f1f8e861fbdeddd5b46e844b7d3ac7b86a122f36e8c463859ee6811b1f29c',
    n_topics: 2,
    n_words: 6,
    decode: (log) => exchange('curve_crypto_ng', log),
  },
  {
    dataset: 'swaps',
    event:
      'event TokenExchangeUnderlying(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
    topic0: '0xd013ca23e77a65003c2c659c5442c00c805371b7fc1ebd4c206c41d1536bd90b',
    n_topics: 2,
    n_words: 4,
    decode: (log) => exchange('curve_meta', log),
  },
  {
    dataset: 'swaps',
    event:
      'event TokenSwap(address indexed buyer, uint256 tokensSold, uint256 tokensBought, uint128 soldId, uint128 boughtId)',
    topic0: '0xc6c1e0630dbe9130cc068028486c0d118ddcea348550819defd5cb8c257f8a38',
    n_topics: 2,
    n_words: 4,
    decode: (log) => numbered('saddle', log, { sold: uint(log.data, 0), bought: uint(log.data, 1), ids: [2, 3] }),
  },
]

const exchange = (family: string, log: RawLog): SwapEvent =>
  numbered(family, log, { sold: uint(log.data, 1), bought: uint(log.data, 3), ids: [0, 2] })

const numbered = (
  family: string,
  { address, topics, data }: RawLog,
  { sold, bought, ids }: { sold: bigint; bought: bigint; ids: readonly [number, number] },
): SwapEvent => {
  const buyer = topicAddress(topics, 1)
  return swapOf(family, {
    pool: address,
    coin0_index: index(data, ids[0]),
    coin1_index: index(data, ids[1]),
    amount0: sold,
    amount1: -bought,
    sender: buyer,
    recipient: buyer,
  })
}
