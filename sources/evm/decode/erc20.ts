import type { Protocol } from './event/decoder.ts'
import { constant } from './event/fields.ts'

/** The contract of Polygon that logs each movement of the native coin. */
const polygonCoin = '0x0000000000000000000000000000000000001010'

/**
 * Movements of tokens. A wrapped coin of the kind WETH9 emits no Transfer for a wrap or an unwrap. Other contracts have
 * events of the same names, so a wrap counts only if its token is the wrapped coin of the chain.
 */
export const erc20: Protocol = [
  {
    dataset: 'transfers',
    event: 'event Transfer(address indexed from, address indexed to, uint256 value)',
    // ERC-721 indexes the id of its token, the oldest ones nothing.
    unrelated: [1, 4],
    map: { kind: constant('transfer'), token: 'this', sender: 'from', recipient: 'to', amount: 'value' },
    emitters: ({ stables, wrapped }) => [...stables, ...(wrapped === null ? [] : [wrapped])],
  },
  {
    dataset: 'transfers',
    event: 'event Deposit(address indexed dst, uint256 wad)',
    unrelated: [1, 3],
    map: { kind: constant('wrap'), token: 'this', sender: constant(''), recipient: 'dst', amount: 'wad' },
  },
  {
    dataset: 'transfers',
    event: 'event Withdrawal(address indexed src, uint256 wad)',
    unrelated: [1, 3],
    map: { kind: constant('unwrap'), token: 'this', sender: 'src', recipient: constant(''), amount: 'wad' },
  },
  {
    dataset: 'transfers',
    event:
      'event LogTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)',
    map: {
      kind: constant('internal'),
      token: constant('native'),
      sender: 'from',
      recipient: 'to',
      amount: 'amount',
    },
    isFact:
      () =>
      ({ address }) =>
        address === polygonCoin,
  },
]
