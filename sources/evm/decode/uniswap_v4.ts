import { keccak_256 } from '@noble/hashes/sha3'

import { viewCall, type ContractCall } from '#sources/evm/rpc/abi.ts'

import type { RawLog } from './event/decoder.ts'
import { parseEvent } from './event/signature.ts'
import { topicWord } from './event/words.ts'

/**
 * The contracts of Uniswap V4 on a chain: the one that holds all pools, with its first block, and the one that mints
 * positions in them.
 */
type Deployment = { manager: string; first_block: number; positions: string }

/**
 * By the slug of the chain: contracts from docs.uniswap.org/contracts/v4/deployments, first blocks from the indexers of
 * the protocol.
 */
export const deployments: Readonly<Record<string, Deployment>> = {
  ethereum: {
    manager: '0x000000000004444c5dc75cb358380d2e3de08a90',
    first_block: 21_688_329,
    positions: '0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e',
  },
  base: {
    manager: '0x498581ff718922c3f8e6a244956af099b2652b2b',
    first_block: 25_350_988,
    positions: '0x7c5f5a4bbd8fd63184577525326123b519429bdc',
  },
  arbitrum: {
    manager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    first_block: 297_842_872,
    positions: '0xd88f38f930b7952f2db2432cb002e7abbf3dd869',
  },
  optimism: {
    manager: '0x9a13f98cb987694c9f086b1f5eb990eea8264ec3',
    first_block: 130_947_675,
    positions: '0x3c3ea4b57a46241e54610e5f022e5c45859a1017',
  },
  polygon: {
    manager: '0x67366782805870060151383f4bbff9dab53e5cd6',
    first_block: 66_980_384,
    positions: '0x1ec2ebf4f37e7363fdfe3551602425af0b3ceef9',
  },
  bsc: {
    manager: '0x28e2ea090877bf75740558f6bfb36a5ffee9e9df',
    first_block: 45_970_610,
    positions: '0x7a4a5c919ae2541aed11041a1aeee68f1287f95b',
  },
  worldchain: {
    manager: '0xb1860d529182ac3bc1f51fa2abd56662b7d13f33',
    first_block: 9_111_872,
    positions: '0xc585e0f504613b5fbf874f21af14c65260fb41fa',
  },
  blast: {
    manager: '0x1631559198a9e474033433b2958dabc135ab6446',
    first_block: 14_377_311,
    positions: '0x4ad2f4cca2682cbb5b950d660dd458a1d3f1baad',
  },
  zora: {
    manager: '0x0575338e4c17006ae181b47900a84404247ca30f',
    first_block: 25_434_534,
    positions: '0xf66c7b99e2040f0d9b326b3b7c152e9663543d63',
  },
  ink: {
    manager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    first_block: 4_580_556,
    positions: '0x1b35d13a2e2528f192637f14b05f0dc0e7deb566',
  },
  soneium: {
    manager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    first_block: 2_473_300,
    positions: '0x1b35d13a2e2528f192637f14b05f0dc0e7deb566',
  },
  avalanche: {
    manager: '0x06380c0e0912312b5150364b9dc4542ba0dbbc85',
    first_block: 56_195_376,
    positions: '0xb74b1f14d2754acfcbbe1a221023a5cf50ab8acd',
  },
  unichain: {
    manager: '0x1f98400000000000000000000000000000000004',
    first_block: 0,
    positions: '0x4529a01c7a0410167c5740c487a8de60232617bf',
  },
}

export const family = 'uniswap_v4'

/** The event that the manager emits for each new pool. */
export const creationEvent =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)'

export const creationTopic = parseEvent(creationEvent).topic0

/** The id of a pool: the hash of the five words of its key, which are its tokens, fee, tick spacing and hooks. */
export const poolId = (words: string): string =>
  `0x${Buffer.from(keccak_256(Buffer.from(words, 'hex'))).toString('hex')}`

/** Whether words are the key of a pool. */
export const isKey = (pool: string, words: string): boolean => words.length === 5 * 64 && poolId(words) === pool

/** The words of the key that a creation names: two of its topics, and the first three words of its data. */
export const creationKey = ({ topics, data }: Pick<RawLog, 'topics' | 'data'>): string =>
  `${topics[2]?.slice(2)}${topics[3]?.slice(2)}${data.slice(2, 2 + 64 * 3)}`

/** Whether a creation names the key of its pool. Throws a `MalformedLog` if its pool is no hash. */
export const isCreation = (log: RawLog): boolean => isKey(topicWord(log.topics, 1), creationKey(log))

/** `poolKeys(bytes25)`, by the first 25 bytes of an id. It knows the pools in which it minted a position. */
const selector = viewCall('poolKeys(bytes25)')

/** The view that names the tokens of a pool; none on a chain without a known deployment. */
export function keyView(chain: string, pool: string): ContractCall[] {
  const to = deployments[chain]?.positions
  return to === undefined ? [] : [{ to, data: `${selector}${pool.slice(2, 52).padEnd(64, '0')}` }]
}

/**
 * The tokens of a pool by the key that the view returned; the coin is `native`. Empty unless the key has the pool's id
 * as its hash, so that no contract can name other tokens.
 */
export function keyTokens(pool: string, result: string | null | undefined): string[] {
  const words = (result ?? '0x').slice(2)
  if (!isKey(pool, words)) return []
  return [0, 1].map((n) => {
    const address = `0x${words.slice(64 * n + 24, 64 * (n + 1))}`
    return /^0x0+$/.test(address) ? 'native' : address
  })
}
