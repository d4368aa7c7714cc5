import type { Protocol } from './event/decoder.ts'

/** Hashflow: quotes of market makers. The `trader` is often a router. */
export const hashflow: Protocol = [
  {
    event:
      'event Trade(address trader, address effectiveTrader, bytes32 txid, address quoteToken, address baseToken, uint256 quoteTokenAmount, uint256 baseTokenAmount)',
    family: 'hashflow',
    map: {
      pool: 'this',
      token0: 'baseToken',
      token1: 'quoteToken',
      amount0: 'baseTokenAmount',
      amount1: '-quoteTokenAmount',
      sender: 'trader',
      recipient: 'trader',
    },
  },
]
