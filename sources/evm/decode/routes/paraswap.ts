import { routed, type EventDecoder, type RawLog, type SwapEvent } from '#sources/evm/decode/event.ts'
import { address, topicAddress, uint } from '#sources/evm/decode/words.ts'

/** Events of ParaSwap 5 end with the same words: tokens and beneficiary are topics. */
const paraswap = ({ topics, data }: RawLog, first: number): SwapEvent =>
  routed(
    'paraswap_v5',
    { token: topicAddress(topics, 2), amount: uint(data, first) },
    { token: topicAddress(topics, 3), amount: uint(data, first + 1) },
    { sender: address(data, 3), recipient: topicAddress(topics, 1) },
  )

/** Routes of ParaSwap 5. Version 6 has no events of its own. */
export const paraswapRoutes: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    topic0: '0xe00361d207b252a464323eb23d45d42583e391f2031acdd2e9fa36efddd43cb0',
    n_topics: 4,
    n_words: 7,
    decode: (log) => paraswap(log, 4),
  },
  {
    dataset: 'swaps',
    event:
      'event BoughtV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    topic0: '0x4cc7e95e48af62690313a0733e93308ac9a73326bc3c29f1788b1191c376d5b6',
    n_topics: 4,
    n_words: 7,
    decode: (log) => paraswap(log, 4),
  },
  {
    dataset: 'swaps',
    event:
      'event SwappedDirect(bytes16 uuid, address partner, uint256 feePercent, address initiator, uint8 kind, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    topic0: '0xd2d73da2b5fd52cd654d8fd1b514ad57355bad741de639e3a1c3a20dd9f17347',
    n_topics: 4,
    n_words: 8,
    decode: (log) => paraswap(log, 5),
  },
]
