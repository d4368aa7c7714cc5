import { swapOf, type EventDecoder, type RawLog, type SwapEvent } from '#sources/evm/decode/event.ts'
import { address, tokenOf, topicAddress, uint } from '#sources/evm/decode/words.ts'

/** A fill of a maker's order: the maker is the pool. The words of the taker's token and amount, then the maker's. */
const filled = (
  family: string,
  { data }: RawLog,
  { paid, got }: { paid: readonly [number, number]; got: readonly [number, number] },
  parties: { pool: string; sender: string },
): SwapEvent =>
  swapOf(family, {
    ...parties,
    recipient: parties.sender,
    token0: tokenOf(address(data, paid[0])),
    amount0: uint(data, paid[1]),
    token1: tokenOf(address(data, got[0])),
    amount1: -uint(data, got[1]),
  })

/**
 * Fills of signed orders, and events that prove a swap without its amounts. The taker is often a router, so it is the
 * sender. The signer of a meta transaction is the trader, and so is the maker of an order that others fill for it.
 */
export const orders: readonly EventDecoder[] = [
  {
    dataset: 'swaps',
    event:
      'event RfqOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, bytes32 pool)',
    topic0: '0x829fa99d94dc4636925b38632e625736a614c154d55006b7ab6bea979c210c32',
    n_topics: 1,
    n_words: 8,
    decode: (log) =>
      filled(
        'zerox_rfq',
        log,
        { paid: [4, 5], got: [3, 6] },
        { pool: address(log.data, 1), sender: address(log.data, 2) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event OtcOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 makerTokenFilledAmount, uint128 takerTokenFilledAmount)',
    topic0: '0xac75f773e3a92f1a02b12134d65e1f47f8a14eabe4eaf1e24624918e6a8b269f',
    n_topics: 1,
    n_words: 7,
    decode: (log) =>
      filled(
        'zerox_otc',
        log,
        { paid: [4, 6], got: [3, 5] },
        { pool: address(log.data, 1), sender: address(log.data, 2) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event LimitOrderFilled(bytes32 orderHash, address maker, address taker, address feeRecipient, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, uint128 takerTokenFeeFilledAmount, uint256 protocolFeePaid, bytes32 pool)',
    topic0: '0xab614d2b738543c0ea21f56347cf696a3a0c42a7cbec3212a5ca22a4dcff2124',
    n_topics: 1,
    n_words: 11,
    decode: (log) =>
      filled(
        'zerox_limit',
        log,
        { paid: [5, 6], got: [4, 7] },
        { pool: address(log.data, 1), sender: address(log.data, 2) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address makerAsset, uint256 makerAmount, address indexed taker, address takerAsset, uint256 takerAmount)',
    topic0: '0x6621486d9c28838df4a87d2cca5007bc2aaf6a5b5de083b1db8faf709302c473',
    n_topics: 4,
    n_words: 4,
    decode: (log) =>
      filled(
        'paraswap_rfq',
        log,
        { paid: [2, 3], got: [0, 1] },
        { pool: topicAddress(log.topics, 2), sender: topicAddress(log.topics, 3) },
      ),
  },
  {
    dataset: 'swaps',
    event:
      'event Trade(address trader, address effectiveTrader, bytes32 txid, address quoteToken, address baseToken, uint256 quoteTokenAmount, uint256 baseTokenAmount)',
    topic0: '0x34f57786fb01682fb4eec88d340387ef01a168fe345ea5b76f709d4e560c10eb',
    n_topics: 1,
    n_words: 7,
    decode: (log) =>
      filled('hashflow', log, { paid: [4, 6], got: [3, 5] }, { pool: log.address, sender: address(log.data, 0) }),
  },
  {
    dataset: 'swaps',
    event: 'event OrderFilled(address indexed maker, bytes32 orderHash, uint256 remaining)',
    topic0: '0xb9ed0243fdf00f0545c63a0af8850c090d86bb46682baec4bf3c496814fe4f02',
    n_topics: 2,
    n_words: 2,
    decode: ({ topics }) => {
      const maker = topicAddress(topics, 1)
      return swapOf('oneinch_limit_v5', { pool: maker, trader: maker })
    },
  },
  {
    dataset: 'swaps',
    event: 'event OrderFilled(bytes32 orderHash, uint256 remainingAmount)',
    topic0: '0xfec331350fce78ba658e082a71da20ac9f8d798a99b3c79681c8440cbfe77e07',
    n_topics: 1,
    n_words: 2,
    decode: () => swapOf('oneinch_limit_v6', {}),
  },
  {
    dataset: 'swaps',
    event: 'event MetaTransactionExecuted(bytes32 hash, bytes4 indexed selector, address signer, address sender)',
    topic0: '0x7f4fe3ff8ae440e1570c558da08440b26f89fb1c1f2910cd91ca6452955f121a',
    n_topics: 2,
    n_words: 3,
    decode: ({ data }) => swapOf('zerox_meta', { sender: address(data, 2), trader: address(data, 1) }),
  },
  {
    dataset: 'swaps',
    event: 'event Swap(string indexed aggregatorId, address indexed sender)',
    topic0: '0xbeee1e6e7fe307ddcf84b0a16137a4430ad5e2480fc4f4a8e250ab56ccd7630d',
    n_topics: 3,
    n_words: 0,
    decode: ({ topics }) => swapOf('metamask', { sender: topicAddress(topics, 2) }),
  },
  {
    dataset: 'swaps',
    event:
      'event Swapped(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, (address tokenAddress, uint256 relativeValue, address receiver)[] outputs, uint256 valueOutQuote)',
    topic0: '0xe87568fe5934cb7524b96e16b225ee2e7e738ccbb706c7bee52ce07bf0360e69',
    n_topics: 1,
    n_words: 6,
    decode: ({ data }) => swapOf('odos_v1', { sender: address(data, 0) }),
  },
  {
    dataset: 'swaps',
    event: 'event BebopOrder(uint128 indexed eventId)',
    topic0: '0xadd7095becdaa725f0f33243630938c861b0bba83dfd217d4055701aa768ec2e',
    n_topics: 2,
    n_words: 0,
    decode: () => swapOf('bebop', {}),
  },
]
