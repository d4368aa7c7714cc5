import { pairSwap, type EventDecoder, type RawLog, type SwapEvent } from './event.ts'
import { topicAddress, uint } from './words.ts'

/** Pools with reserves, whose events name what came in and what went out of each coin. Both may come in at once. */
export const constantProduct: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    topic0: '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
    n_topics: 3,
    n_words: 4,
    decode: (log) => netSwap('uniswap_v2', log),
  },
  {
    dataset: 'swaps',
    event:
      'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
    topic0: '0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b',
    n_topics: 3,
    n_words: 4,
    decode: (log) => netSwap('solidly', log),
  },
]

const netSwap = (family: string, { address, topics, data }: RawLog): SwapEvent =>
  pairSwap(
    family,
    address,
    { amount0: uint(data, 0) - uint(data, 2), amount1: uint(data, 1) - uint(data, 3) },
    { sender: topicAddress(topics, 1), recipient: topicAddress(topics, 2) },
  )
