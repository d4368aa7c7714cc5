import type { Protocol } from './event/decoder.ts'

/** Odos. The event of version 1 has lists of tokens, so only its sender is read. */
export const odos: Protocol = [
  {
    event:
      'event Swapped(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, (address tokenAddress, uint256 relativeValue, address receiver)[] outputs, uint256 valueOutQuote)',
    family: 'odos_v1',
    map: { sender: 'sender' },
  },
  {
    event:
      'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
    family: 'odos_v2',
    map: {
      token0: 'inputToken',
      token1: 'outputToken',
      amount0: 'inputAmount',
      amount1: '-amountOut',
      sender: 'sender',
    },
  },
]
