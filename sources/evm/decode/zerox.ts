import type { Fields, Protocol } from './event/decoder.ts'

/** A fill of a maker's order: the maker is the pool. The taker is often a router, so it is the sender. */
const fill: Fields<'swaps'> = {
  pool: 'maker',
  token0: 'takerToken',
  token1: 'makerToken',
  amount0: 'takerTokenFilledAmount',
  amount1: '-makerTokenFilledAmount',
  sender: 'taker',
  recipient: 'taker',
}

/** 0x: routes, fills of signed orders, and transactions that another account sent for their signer, the trader. */
export const zerox: Protocol = [
  {
    event:
      'event TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
    family: 'zerox',
    map: {
      token0: 'inputToken',
      token1: 'outputToken',
      amount0: 'inputTokenAmount',
      amount1: '-outputTokenAmount',
      sender: 'taker',
      recipient: 'taker',
      trader: 'taker',
    },
  },
  {
    event:
      'event RfqOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, bytes32 pool)',
    family: 'zerox_rfq',
    map: fill,
  },
  {
    event:
      'event OtcOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 makerTokenFilledAmount, uint128 takerTokenFilledAmount)',
    family: 'zerox_otc',
    map: fill,
  },
  {
    event:
      'event LimitOrderFilled(bytes32 orderHash, address maker, address taker, address feeRecipient, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, uint128 takerTokenFeeFilledAmount, uint256 protocolFeePaid, bytes32 pool)',
    family: 'zerox_limit',
    map: fill,
  },
  {
    event: 'event MetaTransactionExecuted(bytes32 hash, bytes4 indexed selector, address signer, address sender)',
    family: 'zerox_meta',
    map: { sender: 'sender', trader: 'signer' },
  },
]
