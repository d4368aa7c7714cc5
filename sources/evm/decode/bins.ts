import { pairSwap, type EventDecoder } from './event.ts'
import { address, bool, topicAddress, uint } from './words.ts'

/** Pools with liquidity in bins. A swap of a Liquidity Book emits an event for each bin that it crosses. */
export const bins: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event Swap(address indexed sender, address indexed to, uint24 id, bytes32 amountsIn, bytes32 amountsOut, uint24 volatilityAccumulator, bytes32 totalFees, bytes32 protocolFees)',
    topic0: '0xad7d6f97abf51ce18e17a38f4d70e975be9c0708474987bb3e26ad21bd93ca70',
    n_topics: 3,
    n_words: 6,
    decode: ({ address: pool, topics, data }) => {
      const [amountsIn, amountsOut] = [uint(data, 1), uint(data, 2)]
      const amount0 = low(amountsIn) - low(amountsOut)
      const amount1 = (amountsIn >> 128n) - (amountsOut >> 128n)
      const parties = { sender: topicAddress(topics, 1), recipient: topicAddress(topics, 2) }
      return pairSwap('liquidity_book', pool, { amount0, amount1 }, parties)
    },
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(address sender, address recipient, bool tokenAIn, bool exactOutput, uint256 amountIn, uint256 amountOut, int32 activeTick)',
    topic0: '0x3b841dc9ab51e3104bda4f61b41e4271192d22cd19da5ee6e292dc8e2744f713',
    n_topics: 1,
    n_words: 7,
    decode: ({ address: pool, data }) =>
      directed('maverick_v1', pool, data, { isFirstIn: bool(data, 2), paid: uint(data, 4), got: uint(data, 5) }),
  },
  {
    dataset: 'swaps',
    event:
      'event PoolSwap(address sender, address recipient, (uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, uint256 amountIn, uint256 amountOut)',
    topic0: '0x103ed084e94a44c8f5f6ba8e3011507c41063177e29949083c439777d8d63f60',
    n_topics: 1,
    n_words: 8,
    decode: ({ address: pool, data }) =>
      directed('maverick_v2', pool, data, { isFirstIn: bool(data, 3), paid: uint(data, 6), got: uint(data, 7) }),
  },
]

const low = (packed: bigint): bigint => BigInt.asUintN(128, packed)

const directed = (
  family: string,
  pool: string,
  data: string,
  { isFirstIn, paid, got }: { isFirstIn: boolean; paid: bigint; got: bigint },
) =>
  pairSwap(family, pool, isFirstIn ? { amount0: paid, amount1: -got } : { amount0: -got, amount1: paid }, {
    sender: address(data, 0),
    recipient: address(data, 1),
  })
