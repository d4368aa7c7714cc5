import { createRandom } from '#sim/random.ts'

import { addressOf, type SparseChain, type SparseTransaction } from './sparse_chain.ts'

const token = addressOf('token', 1)
const pool = addressOf('pool', 1)

/** A trade of a wallet: it pays one token and gets another. */
const trade = (wallet: string, block: number): SparseTransaction => ({
  block,
  from: wallet,
  moves: [
    { token, from: wallet, to: pool, amount: 5 },
    { token: addressOf('token', 2), from: pool, to: wallet, amount: 7 },
  ],
})

/** `n` trades of a wallet at random blocks of a range. */
export function trades(wallet: string, n: number, [from, to]: [number, number], seed = 1): SparseTransaction[] {
  const random = createRandom(seed, 41)
  return Array.from({ length: n }, () => trade(wallet, from + random.below(to - from)))
}

/** The first block that is not final on a chain of 100,000: its final blocks are those of its depth. */
export const end = 99_970

/** A chain of 100,000 blocks with these transactions. */
export const chainOf = (transactions: SparseTransaction[], more: Partial<SparseChain> = {}): SparseChain => ({
  n_blocks: 100_000,
  maxRange: 10_000,
  isArchive: true,
  contracts: [],
  transactions,
  ...more,
})
