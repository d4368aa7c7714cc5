import type { Protocol } from './event/decoder.ts'
import { concentrated } from './maps/concentrated.ts'
import { constantProduct } from './maps/constant_product.ts'
import { creation, pairViews } from './maps/pair.ts'
import { priceState, singleton } from './maps/singleton.ts'
import { creationEvent, deployments, isCreation } from './uniswap_v4.ts'

/** Uniswap V2, V3, V4 and UniswapX, with the forks that emit the same events. */
export const uniswap: Protocol = [
  {
    event:
      'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    family: 'uniswap_v2',
    map: constantProduct,
    tokenViews: pairViews,
  },
  {
    dataset: 'pools',
    event: 'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 n)',
    family: 'uniswap_v2',
    map: { ...creation, pool: 'pair' },
  },
  {
    event:
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    family: 'uniswap_v3',
    map: concentrated,
    tokenViews: pairViews,
  },
  {
    dataset: 'pools',
    event:
      'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
    family: 'uniswap_v3',
    map: creation,
  },
  {
    event:
      'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
    family: 'uniswap_v4',
    map: { ...singleton, ...priceState },
    emitters: ({ slug }) => [deployments[slug]?.manager ?? []].flat(),
  },
  {
    dataset: 'pools',
    event: creationEvent,
    family: 'uniswap_v4',
    map: { pool: 'id', tokens: ['currency0', 'currency1'], factory: 'this' },
    // The hash of the key is the id: any contract can emit the event, but not with other tokens for the same id.
    isFact: () => isCreation,
  },
  {
    // UniswapX: the reactors of all its kinds of orders. The swapper signed the order; the filler sent the transaction.
    event: 'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
    family: 'uniswap_x',
    map: { sender: 'filler', trader: 'swapper' },
  },
]
