import type { EventDecoder, PoolEvent, RawLog } from './event.ts'
import { address, tokenOf, topicAddress } from './words.ts'

/**
 * Creations of pools that are contracts. Any contract can emit them, so such a row is a claim: it counts if the pool's
 * own `factory()` names the contract that emitted it.
 */
export const creations: readonly EventDecoder[] = [
  {
    dataset: 'pools',
    event: 'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 n)',
    topic0: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
    n_topics: 3,
    n_words: 2,
    decode: (log) => created('uniswap_v2', log, 0),
  },
  {
    dataset: 'pools',
    event: 'event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 n)',
    topic0: '0xc4805696c66d7cf352fc1d6bb633ad5ee82f6cb577c453024b6e0eb8306c6fc9',
    n_topics: 3,
    n_words: 3,
    decode: (log) => created('solidly', log, 1),
  },
  {
    dataset: 'pools',
    event:
      'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 n)',
    topic0: '0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e',
    n_topics: 4,
    n_words: 2,
    decode: (log) => created('solidly', log, 0),
  },
  {
    dataset: 'pools',
    event:
      'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
    topic0: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
    n_topics: 4,
    n_words: 2,
    decode: (log) => created('uniswap_v3', log, 1),
  },
  {
    dataset: 'pools',
    event: 'event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)',
    topic0: '0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2',
    n_topics: 4,
    n_words: 1,
    decode: (log) => created('uniswap_v3', log, 0),
  },
  {
    dataset: 'pools',
    event: 'event Pool(address indexed token0, address indexed token1, address pool)',
    topic0: '0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db',
    n_topics: 3,
    n_words: 1,
    decode: (log) => created('algebra_integral', log, 0),
  },
]

/** The pool that word `n` of the data names. */
const created = (family: string, { address: factory, topics, data }: RawLog, n: number): PoolEvent => ({
  family,
  pool: address(data, n),
  tokens: [tokenOf(topicAddress(topics, 1)), tokenOf(topicAddress(topics, 2))],
  factory,
})
