import type { EventDecoder } from './event.ts'
import { bool, topicAddress, uint } from './words.ts'

/** Operations of smart accounts: the entry point emits one event after the logs of each. */
export const userOperations: readonly EventDecoder[] = [
  {
    dataset: 'user_operations',
    event:
      'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
    topic0: '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f',
    n_topics: 4,
    n_words: 4,
    decode: ({ topics, data }) => ({
      sender: topicAddress(topics, 2),
      paymaster: topicAddress(topics, 3),
      is_ok: bool(data, 1),
      amount_fee: uint(data, 2),
    }),
  },
]
