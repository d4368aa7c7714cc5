import { pairSwap, type EventDecoder, type RawLog, type SwapEvent } from './event.ts'
import { int, topicAddress, uint } from './words.ts'

/**
 * Pools of concentrated liquidity with a contract each. Slipstream and the first version of Algebra emit the event of
 * Uniswap V3. Amounts are signed as the pool sees them.
 */
export const concentrated: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    topic0: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
    n_topics: 3,
    n_words: 5,
    decode: (log) => signedSwap('uniswap_v3', log),
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
    topic0: '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83',
    n_topics: 3,
    n_words: 7,
    decode: (log) => signedSwap('pancake_v3', log),
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick, uint24 overrideFee, uint24 pluginFee)',
    topic0: '0x121cb44ee54098b1a04743c487e7460d8dd429b27f88b1f4d4767396e1a59f79',
    n_topics: 3,
    n_words: 7,
    decode: (log) => signedSwap('algebra_integral', log),
  },
]

const signedSwap = (family: string, { address, topics, data }: RawLog): SwapEvent =>
  pairSwap(
    family,
    address,
    { amount0: int(data, 0), amount1: int(data, 1) },
    { sender: topicAddress(topics, 1), recipient: topicAddress(topics, 2) },
    { sqrt_price: uint(data, 2, 160).toString(), liquidity: uint(data, 3, 128).toString() },
  )
