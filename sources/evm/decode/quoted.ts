import { pairSwap, swapOf, type EventDecoder, type RawLog, type SwapEvent } from './event.ts'
import { address, bool, tokenOf, topicAddress, uint } from './words.ts'

const woo = ({ address: pool, topics, data }: RawLog): SwapEvent =>
  swapOf('woofi', {
    pool,
    token0: tokenOf(topicAddress(topics, 1)),
    token1: tokenOf(topicAddress(topics, 2)),
    amount0: uint(data, 0),
    amount1: -uint(data, 1),
    sender: address(data, 2),
    recipient: topicAddress(topics, 3),
  })

/** Pools with a price of their own making. The `trader` of DODO's event is mostly a router. */
export const quoted: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver)',
    topic0: '0xc2c0245e056d5fb095f04cd6373bc770802ebd1e6c918eb78fdef843cdb37b0f',
    n_topics: 1,
    n_words: 6,
    decode: ({ address: pool, data }) =>
      swapOf('dodo_v2', {
        pool,
        token0: tokenOf(address(data, 0)),
        token1: tokenOf(address(data, 1)),
        amount0: uint(data, 2),
        amount1: -uint(data, 3),
        sender: address(data, 4),
        recipient: address(data, 5),
      }),
  },
  {
    dataset: 'swaps',
    event: 'event SellBaseToken(address indexed seller, uint256 payBase, uint256 receiveQuote)',
    topic0: '0xd8648b6ac54162763c86fd54bf2005af8ecd2f9cb273a5775921fd7f91e17b2d',
    n_topics: 2,
    n_words: 2,
    decode: ({ address: pool, topics, data }) => {
      const seller = topicAddress(topics, 1)
      const amounts = { amount0: uint(data, 0), amount1: -uint(data, 1) }
      return pairSwap('dodo_v1', pool, amounts, { sender: seller, recipient: seller })
    },
  },
  {
    dataset: 'swaps',
    event: 'event BuyBaseToken(address indexed buyer, uint256 receiveBase, uint256 payQuote)',
    topic0: '0xe93ad76094f247c0dafc1c61adc2187de1ac2738f7a3b49cb20b2263420251a3',
    n_topics: 2,
    n_words: 2,
    decode: ({ address: pool, topics, data }) => {
      const buyer = topicAddress(topics, 1)
      const amounts = { amount0: -uint(data, 0), amount1: uint(data, 1) }
      return pairSwap('dodo_v1', pool, amounts, { sender: buyer, recipient: buyer })
    },
  },
  {
    dataset: 'swaps',
    event:
      'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo)',
    topic0: '0x74ef34e2ea7c5d9f7b7ed44e97ad44b4303416c3a660c3fb5b3bdb95a1d6abd3',
    n_topics: 4,
    n_words: 4,
    decode: woo,
  },
  {
    dataset: 'swaps',
    event:
      'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo, uint256 swapVol, uint256 swapFee)',
    topic0: '0x0e8e403c2d36126272b08c75823e988381d9dc47f2f0a9a080d95f891d95c469',
    n_topics: 4,
    n_words: 6,
    decode: woo,
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(address indexed sender, address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address indexed to)',
    topic0: '0x54787c404bb33c88e86f4baf88183a3b0141d0a848e6a9f7a13b66ae3a9b73d1',
    n_topics: 3,
    n_words: 4,
    decode: ({ address: pool, topics, data }) =>
      swapOf('wombat', {
        pool,
        token0: address(data, 0),
        token1: address(data, 1),
        amount0: uint(data, 2),
        amount1: -uint(data, 3),
        sender: topicAddress(topics, 1),
        recipient: topicAddress(topics, 2),
      }),
  },
  {
    dataset: 'swaps',
    event: 'event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to)',
    topic0: '0xdc004dbca4ef9c966218431ee5d9133d337ad018dd5b5c5493722803f75c64f7',
    n_topics: 1,
    n_words: 4,
    decode: ({ address: pool, data }) => {
      const [paid, got] = [uint(data, 1), -uint(data, 2)]
      const amounts = bool(data, 0) ? { amount0: paid, amount1: got } : { amount0: got, amount1: paid }
      return pairSwap('fluid', pool, amounts, { sender: null, recipient: address(data, 3) })
    },
  },
]
