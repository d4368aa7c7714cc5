import type { EventDecoder } from './event.ts'
import { topicAddress, uint } from './words.ts'

/** The contract of Polygon that logs each movement of the native coin. */
const polygonCoin = '0x0000000000000000000000000000000000001010'

/**
 * Movements of tokens. A wrapped coin of the kind WETH9 emits no Transfer for a wrap or an unwrap. Other contracts have
 * events of the same names, so a wrap counts only if its token is the wrapped coin of the chain.
 */
export const transfers: readonly EventDecoder[] = [
  {
    dataset: 'transfers',
    event: 'event Transfer(address indexed from, address indexed to, uint256 value)',
    topic0: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    n_topics: 3,
    // ERC-721 indexes the id of its token, the oldest ones nothing.
    unrelated: [1, 4],
    n_words: 1,
    decode: ({ address: token, topics, data }) => ({
      kind: 'transfer',
      token,
      sender: topicAddress(topics, 1),
      recipient: topicAddress(topics, 2),
      amount: uint(data, 0),
    }),
  },
  {
    dataset: 'transfers',
    event: 'event Deposit(address indexed dst, uint256 wad)',
    topic0: '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
    n_topics: 2,
    unrelated: [1, 3],
    n_words: 1,
    decode: ({ address: token, topics, data }) => ({
      kind: 'wrap',
      token,
      sender: '',
      recipient: topicAddress(topics, 1),
      amount: uint(data, 0),
    }),
  },
  {
    dataset: 'transfers',
    event: 'event Withdrawal(address indexed src, uint256 wad)',
    topic0: '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
    n_topics: 2,
    unrelated: [1, 3],
    n_words: 1,
    decode: ({ address: token, topics, data }) => ({
      kind: 'unwrap',
      token,
      sender: topicAddress(topics, 1),
      recipient: '',
      amount: uint(data, 0),
    }),
  },
  {
    dataset: 'transfers',
    event:
      'event LogTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)',
    topic0: '0xe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c4',
    n_topics: 4,
    n_words: 5,
    decode: ({ address, topics, data }) =>
      address === polygonCoin
        ? {
            kind: 'internal',
            token: 'native',
            sender: topicAddress(topics, 2),
            recipient: topicAddress(topics, 3),
            amount: uint(data, 0),
          }
        : undefined,
  },
]
