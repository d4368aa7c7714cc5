import { swapOf, type EventDecoder } from './event.ts'
import { topicAddress, topicWord, uint } from './words.ts'

/**
 * Pools of a vault, whose events name the tokens but no user. In version 2 a swap that has the pool's own share as a
 * token is a join or an exit, not a swap.
 */
export const balancer: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
    topic0: '0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b',
    n_topics: 4,
    n_words: 2,
    decode: ({ topics, data }) => {
      const pool = topicWord(topics, 1).slice(0, 42)
      const [token0, token1] = [topicAddress(topics, 2), topicAddress(topics, 3)]
      if (token0 === pool || token1 === pool) return undefined
      return swapOf('balancer_v2', { pool, token0, token1, amount0: uint(data, 0), amount1: -uint(data, 1) })
    },
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount)',
    topic0: '0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db',
    n_topics: 4,
    // The vault of GMX, which indexes nothing.
    unrelated: [1],
    n_words: 4,
    decode: ({ topics, data }) =>
      swapOf('balancer_v3', {
        pool: topicAddress(topics, 1),
        token0: topicAddress(topics, 2),
        token1: topicAddress(topics, 3),
        amount0: uint(data, 0),
        amount1: -uint(data, 1),
      }),
  },
  {
    dataset: 'swaps',
    event:
      'event LOG_SWAP(address indexed caller, address indexed tokenIn, address indexed tokenOut, uint256 tokenAmountIn, uint256 tokenAmountOut)',
    topic0: '0x908fb5ee8f16c6bc9bc3690973819f32a4d4b10188134543c88706e0e1d43378',
    n_topics: 4,
    n_words: 2,
    decode: ({ address, topics, data }) =>
      swapOf('balancer_v1', {
        pool: address,
        token0: topicAddress(topics, 2),
        token1: topicAddress(topics, 3),
        amount0: uint(data, 0),
        amount1: -uint(data, 1),
        sender: topicAddress(topics, 1),
      }),
  },
]
