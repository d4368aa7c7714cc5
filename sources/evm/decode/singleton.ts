import { creationTopic, keyOfCreation, poolIdOf } from '#sources/evm/uniswap_v4.ts'

import { pairSwap, type EventDecoder, type RawLog, type SwapEvent } from './event.ts'
import { int, tokenOf, topicAddress, topicWord, uint } from './words.ts'

/**
 * Pools of one contract, named by a hash of 32 bytes. Their amounts are signed as the trader sees them, so both signs
 * are turned. The tokens of a pool stand in its `Initialize` event alone; the native coin has the address 0.
 */
export const singleton: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
    topic0: '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f',
    n_topics: 3,
    n_words: 6,
    decode: (log) => turnedSwap('uniswap_v4', log, priceState(log.data)),
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee)',
    topic0: '0x04206ad2b7c0f463bff3dd4f33c5735b0f2957a351e4f79763a4fa9e775dd237',
    n_topics: 3,
    n_words: 7,
    decode: (log) => turnedSwap('pancake_infinity_cl', log, priceState(log.data)),
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)',
    topic0: '0x3e8aae37f890eb1f9d63dd4d2062f3f0be757848a0f0760e4f3e53dad556e861',
    n_topics: 3,
    n_words: 5,
    decode: (log) => turnedSwap('pancake_infinity_bin', log),
  },
  {
    dataset: 'pools',
    event:
      'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
    topic0: creationTopic,
    n_topics: 4,
    n_words: 5,
    // The hash of the key is the id: any contract can emit the event, but not with other tokens for the same id.
    decode: ({ address, topics, data }) => {
      const pool = topicWord(topics, 1)
      if (pool !== poolIdOf(keyOfCreation({ topics, data }))) return undefined
      const tokens = [tokenOf(topicAddress(topics, 2)), topicAddress(topics, 3)]
      return { family: 'uniswap_v4', pool, tokens, factory: address }
    },
  },
]

const turnedSwap = (
  family: string,
  { topics, data }: RawLog,
  state?: { sqrt_price: string; liquidity: string },
): SwapEvent =>
  pairSwap(
    family,
    topicWord(topics, 1),
    { amount0: -int(data, 0, 128), amount1: -int(data, 1, 128) },
    { sender: topicAddress(topics, 2), recipient: null },
    state,
  )

const priceState = (data: string) => ({
  sqrt_price: uint(data, 2, 160).toString(),
  liquidity: uint(data, 3, 128).toString(),
})
