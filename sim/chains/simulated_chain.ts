import { fortuneOf, usual } from '#sim/fortune.ts'
import { createRandom, hexText, mix } from '#sim/random.ts'
import type { Listing } from '#sim/token_listings.ts'

import { tripsClosedAt, tripsOpenedAt, type Trip } from './round_trips.ts'

/** A simulated chain. Its blocks follow from these numbers alone, so any of them can be made at any time. */
export type SimulatedChain = {
  /** The slug and the chain id of the real chain that it stands for. */
  slug: string
  id: number
  seed: number
  /** Seconds between blocks, and the time of block 0. */
  block_s: number
  start_s: number
  /**
   * The tokens that readers of the real chain know as its dollar and its wrapped coin; by default of its own making.
   */
  dollar?: string
  wrapped?: string
  /** The tokens that are traded for dollars; 4 by default. */
  n_tokens?: number
  /**
   * The tokens of a lifelike chain, in their place: the wrapped coin and others. Its wallets differ in wealth, and trade
   * in proportion to it.
   */
  listings?: readonly Listing[]
  /** The first block of each reorganization so far. Blocks from there on are others than before. */
  forks?: readonly number[]
  /** Its node has the state of so many blocks before its head; of all by default. */
  n_states?: number
}

/** A token that is traded for dollars, with a pool in the shape of Uniswap V2 and one in that of V3. */
export type SimulatedToken = { address: string; symbol: string; decimals: number; pools: { v2: string; v3: string } }

/** A trade as it truly was, in raw units. It paid `gas_fee` in raw units of the native coin. */
export type SimulatedTrade = {
  wallet: string
  block: number
  tx_index: number
  tx: string
  pool: string
  family: 'v2' | 'v3'
  token_sold: string
  amount_sold: bigint
  token_bought: string
  amount_bought: bigint
  gas_fee: bigint
}

const spaces = { wallet: 101, token: 102, pool: 103, block: 104, tx: 105 } as const
const usualTokens = 4
const n_wallets = 60
export const gas = { used: 150_000n, price: 1_000_000_000n }

/** Bits of a chain that differ from those of any other. */
const keyOf = ({ seed, id }: SimulatedChain): number => mix(seed, id)

/** The same for a block: each reorganization that replaced it changes them. */
const keyAt = (chain: SimulatedChain, block: number): number => {
  const n_forks = (chain.forks ?? []).filter((first) => first <= block).length
  return n_forks === 0 ? keyOf(chain) : mix(keyOf(chain), n_forks)
}

const addressOf = (chain: SimulatedChain, space: number, index: number): string =>
  `0x${hexText(keyOf(chain), space, index, 40)}`

/** Every sixth wallet has one address on all chains of a seed. */
export function walletOf(chain: SimulatedChain, index: number): string {
  const position = index % n_wallets
  return position % 6 === 0
    ? `0x${hexText(chain.seed, spaces.wallet, position, 40)}`
    : addressOf(chain, spaces.wallet, position)
}

/** All wallets that trade on the chain. */
export const walletsOf = (chain: SimulatedChain): string[] =>
  Array.from({ length: n_wallets }, (_, index) => walletOf(chain, index))

/** The wallets that send their first transaction on the chain. The others have sent some before block 0. */
export const newcomersOf = (chain: SimulatedChain): string[] => walletsOf(chain).filter((_, index) => index % 5 === 4)

/** The dollar of the chain, with 6 decimals. */
export const dollarOf = (chain: SimulatedChain): string => chain.dollar ?? addressOf(chain, spaces.token, 0)

/** The traded tokens, with 18 decimals. The first one is the wrapped coin. */
export const tokensOf = (chain: SimulatedChain): SimulatedToken[] =>
  Array.from({ length: chain.listings?.length ?? chain.n_tokens ?? usualTokens }, (_, n) => ({
    address: (n === 0 ? chain.wrapped : undefined) ?? addressOf(chain, spaces.token, n + 1),
    symbol: chain.listings?.[n]?.symbol ?? `SIM${n + 1}`,
    decimals: 18,
    pools: { v2: addressOf(chain, spaces.pool, 2 * n), v3: addressOf(chain, spaces.pool, 2 * n + 1) },
  }))

/** The hash of a block. It begins with the number, by which the node finds the block of a hash. */
export const blockHash = (chain: SimulatedChain, block: number): string =>
  `0x${placeText(block)}${hexText(keyAt(chain, block), spaces.block, block, 52)}`

const txHash = (chain: SimulatedChain, block: number, index: number): string =>
  `0x${placeText(block)}${index.toString(16).padStart(4, '0')}${hexText(keyAt(chain, block), spaces.tx, mix(block, index), 48)}`

const placeText = (block: number): string => block.toString(16).padStart(12, '0')

/**
 * The price of a token in raw dollars for 10^18 raw units: a zigzag around 100 dollars and more, or around the listed
 * price, from which the coin moves less than the others.
 */
function priceOf({ listings }: SimulatedChain, token: number, block: number): bigint {
  const period = 60 + 17 * token
  const step = Math.abs((block % (2 * period)) - period)
  const listed = listings?.[token]
  if (listed === undefined) return BigInt(100_000_000 * (token + 1)) + BigInt(step) * 500_000n
  const first = Math.round(1e6 * listed.usd)
  return BigInt(first) + BigInt(Math.round((first * step) / (token === 0 ? 2_000 : 400)))
}

/** The raw dollars of a trip, which a lifelike wallet makes by its wealth. */
function dollarsOf(chain: SimulatedChain, { wallet, dollars }: Trip): bigint {
  return chain.listings === undefined ? dollars : (dollars * wealthOf(chain, wallet)) / usual
}

/** The wealth of a wallet of a lifelike chain, in ten-thousandths of the usual one. */
export const wealthOf = (chain: SimulatedChain, index: number): bigint => fortuneOf(keyOf(chain), index % n_wallets)

const whole = 10n ** 18n

/** The trades of a block, by their position in it. Block 0 has none. A trip sells all that it bought. */
export function tradesOf(chain: SimulatedChain, block: number): SimulatedTrade[] {
  const tokens = tokensOf(chain)
  const dollar = dollarOf(chain)
  const sides = [
    ...tripsOpenedAt(keyAt(chain, block), block).map((trip) => ({ trip, isBuy: true })),
    ...tripsClosedAt((opened) => keyAt(chain, opened), block).map((trip) => ({ trip, isBuy: false })),
  ]
  const random = createRandom(keyAt(chain, block), spaces.tx, block)
  return sides.flatMap(({ trip, isBuy }, tx_index) => {
    const n = trip.token % tokens.length
    const token = tokens[n]
    if (token === undefined) return []
    const family = random.chance(0.5) ? 'v2' : 'v3'
    const paid = dollarsOf(chain, trip)
    const bought = (paid * whole) / priceOf(chain, n, trip.opened)
    const sold = (bought * priceOf(chain, n, block)) / whole
    const pair = isBuy
      ? { token_sold: dollar, amount_sold: paid, token_bought: token.address, amount_bought: bought }
      : { token_sold: token.address, amount_sold: bought, token_bought: dollar, amount_bought: sold }
    return {
      wallet: walletOf(chain, trip.wallet),
      block,
      tx_index,
      tx: txHash(chain, block, tx_index),
      pool: token.pools[family],
      family,
      ...pair,
      gas_fee: gas.used * gas.price,
    }
  })
}
