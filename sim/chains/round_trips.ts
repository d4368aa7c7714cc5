import { createRandom, type Random } from '#sim/random.ts'

/** A wallet buys a token for dollars, and sells all of it some blocks later. */
export type Trip = {
  wallet: number
  token: number
  /** Raw dollars, with 6 decimals. */
  dollars: bigint
  /** The blocks of the purchase and of the sale. */
  opened: number
  closed: number
}

/** A trip ends after at most so many blocks, so that a block follows from few blocks before it. */
const longest = 40
const mostPerBlock = 3

/**
 * The trips that begin in a block. They follow from the seed and the block alone: a node can answer about any block
 * without the blocks before it, and holds no state.
 */
export function tripsOpenedAt(seed: number, block: number): Trip[] {
  if (block < 1) return []
  const random = createRandom(seed, block)
  // Three blocks of five have no purchase.
  const n_trips = random.chance(0.4) ? 1 + random.below(mostPerBlock) : 0
  return Array.from({ length: n_trips }, () => tripOf(random, block))
}

/** The trips that end in a block, by the seed of each block before it. */
export function tripsClosedAt(seedAt: (block: number) => number, block: number): Trip[] {
  const before = Array.from({ length: longest }, (_, n) => block - longest + n)
  return before.flatMap((opened) => tripsOpenedAt(seedAt(opened), opened)).filter(({ closed }) => closed === block)
}

const tripOf = (random: Random, opened: number): Trip => ({
  wallet: random.below(1_000_000),
  token: random.below(1_000_000),
  dollars: BigInt(1 + random.below(5_000)) * 1_000_000n + BigInt(random.below(1_000_000)),
  opened,
  closed: opened + 1 + random.below(longest),
})
