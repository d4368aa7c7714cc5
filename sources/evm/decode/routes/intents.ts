import { routed, swapOf, type EventDecoder } from '#sources/evm/decode/event.ts'
import { address, topicAddress, uint } from '#sources/evm/decode/words.ts'

/**
 * Orders that a person signs and somebody else executes. The event names the person, who is the trader; the sender of
 * the transaction is a filler, or a relayer of the person.
 */
export const intents: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    // UniswapX: the reactors of all its kinds of orders.
    event: 'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
    topic0: '0x78ad7ec0e9f89e74012afa58738b6b661c024cb0fd185ee2f616c0a28924bd66',
    n_topics: 4,
    n_words: 1,
    decode: ({ topics }) => swapOf('uniswap_x', { sender: topicAddress(topics, 2), trader: topicAddress(topics, 3) }),
  },
  {
    dataset: 'swaps',
    // Tokenlon: a quote of a market maker. What the person gets is the amount less the fee.
    event:
      'event FillOrder(string source, bytes32 indexed transactionHash, bytes32 indexed orderHash, address indexed userAddr, address takerAssetAddr, uint256 takerAssetAmount, address makerAddr, address makerAssetAddr, uint256 makerAssetAmount, address receiverAddr, uint256 settleAmount, uint16 feeFactor)',
    topic0: '0x75d58426b26ab641a6a6a46f12fe35e17c570a1cd264c7248a73d90e3a8682ff',
    n_topics: 4,
    n_words: 9,
    decode: ({ topics, data }) => {
      const user = topicAddress(topics, 3)
      const sold = { token: address(data, 1), amount: uint(data, 2) }
      const bought = { token: address(data, 4), amount: uint(data, 7) }
      return routed('tokenlon', sold, bought, { sender: user, recipient: address(data, 6), trader: user })
    },
  },
]
