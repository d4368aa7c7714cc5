import { routed, type EventDecoder } from '#sources/evm/decode/event.ts'
import { address, topicAddress, uint } from '#sources/evm/decode/words.ts'

/**
 * Routers, whose events name both tokens and amounts of a whole route. They say what a wallet got in the native coin,
 * which no log of a token shows. `trader` is filled only by those that settle for another account.
 */
export const routers: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
    topic0: '0x0f6672f78a59ba8e5e5b5d38df3ebc67f3c792e2c9259b8d97d7f00dd78ba1b3',
    n_topics: 2,
    n_words: 4,
    decode: ({ topics, data }) => {
      const taker = topicAddress(topics, 1)
      const sold = { token: address(data, 0), amount: uint(data, 2) }
      const bought = { token: address(data, 1), amount: uint(data, 3) }
      return routed('zerox', sold, bought, { sender: taker, recipient: taker, trader: taker })
    },
  },
  {
    dataset: 'swaps',
    event:
      'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
    topic0: '0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17',
    n_topics: 2,
    n_words: 6,
    decode: ({ address: settlement, topics, data }) =>
      routed(
        'cow',
        { token: address(data, 0), amount: uint(data, 2) },
        { token: address(data, 1), amount: uint(data, 3) },
        { sender: settlement, trader: topicAddress(topics, 1) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
    topic0: '0xd6d4f5681c246c9f42c203e287975af1601f8df8035a9251f79aab5c8f09e2f8',
    n_topics: 1,
    n_words: 6,
    decode: ({ data }) =>
      routed(
        'swapped',
        { token: address(data, 1), amount: uint(data, 4) },
        { token: address(data, 2), amount: uint(data, 5) },
        { sender: address(data, 0), recipient: address(data, 3) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event WooRouterSwap(uint8 swapType, address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo)',
    topic0: '0x27c98e911efdd224f4002f6cd831c3ad0d2759ee176f9ee8466d95826af22a1c',
    n_topics: 4,
    n_words: 5,
    decode: ({ topics, data }) =>
      routed(
        'woofi_router',
        { token: topicAddress(topics, 1), amount: uint(data, 1) },
        { token: topicAddress(topics, 2), amount: uint(data, 2) },
        { sender: address(data, 3), recipient: topicAddress(topics, 3) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
    topic0: '0x823eaf01002d7353fbcadb2ea3305cc46fa35d799cb0914846d185ac06f8ad05',
    n_topics: 1,
    n_words: 7,
    decode: ({ data }) =>
      routed(
        'odos_v2',
        { token: address(data, 2), amount: uint(data, 1) },
        { token: address(data, 4), amount: uint(data, 3) },
        { sender: address(data, 0) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event LiFiGenericSwapCompleted(bytes32 indexed transactionId, string integrator, string referrer, address receiver, address fromAssetId, address toAssetId, uint256 fromAmount, uint256 toAmount)',
    topic0: '0x38eee76fd911eabac79da7af16053e809be0e12c8637f156e77e1af309b99537',
    n_topics: 2,
    n_words: 7,
    decode: ({ data }) =>
      routed(
        'lifi',
        { token: address(data, 3), amount: uint(data, 5) },
        { token: address(data, 4), amount: uint(data, 6) },
        { recipient: address(data, 2) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event Route(address indexed from, address to, address indexed tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut, int256 slippage, uint32 indexed referralCode, bytes32 diagnostics)',
    topic0: '0x84b514c5b926879bf66a04e4becdc6f521e94a4411e7dfa3dd255f214478f558',
    n_topics: 4,
    n_words: 6,
    decode: ({ topics, data }) =>
      routed(
        'sushi_route',
        { token: topicAddress(topics, 2), amount: uint(data, 2) },
        { token: address(data, 1), amount: uint(data, 3) },
        { sender: topicAddress(topics, 1), recipient: address(data, 0) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event Route(address indexed from, address to, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOutMin, uint256 amountOut)',
    topic0: '0x2db5ddd0b42bdbca0d69ea16f234a870a485854ae0d91f16643d6f317d8b8994',
    n_topics: 4,
    n_words: 4,
    decode: ({ topics, data }) =>
      routed(
        'sushi_route',
        { token: topicAddress(topics, 2), amount: uint(data, 1) },
        { token: topicAddress(topics, 3), amount: uint(data, 3) },
        { sender: topicAddress(topics, 1), recipient: address(data, 0) },
      ),
  },
]
