import { fullBlocksOf } from '#sources/evm/rpc/full_blocks.ts'
import { assertHeaders, type BlockRange } from '#sources/evm/rpc/log_checks.ts'
import type { Proof } from '#sources/evm/rpc/proof.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import type { Header } from '#sources/evm/rpc/shapes.ts'

import { emptyBlock, rawTransaction, type BlocksReading, type TakeBlock } from './raw_block.ts'

/** Whole blocks of one piece of work: some megabytes on a large chain. A failed request repeats these alone. */
const groupSize = 5

/** Reads a range of blocks with all their transactions. */
export async function readWholeBlocks(rpc: Rpc, { from, to }: BlockRange, take: TakeBlock): Promise<BlocksReading> {
  const headers = new Map<number, Header>()
  const proofs = new Set<Proof>()
  const unproved: BlockRange[] = []
  for (let first = from; first < to; first += groupSize) {
    const numbers = Array.from({ length: Math.min(groupSize, to - first) }, (_, n) => first + n)
    for (const block of await rpc.at((node) => fullBlocksOf(node, numbers), { firstBlock: first })) {
      headers.set(block.header.block, block.header)
      take({ ...emptyBlock(block.header), transactions: block.mined.map(rawTransaction) })
      if (block.proof !== undefined) proofs.add(block.proof)
      else unproved.push({ from: block.header.block, to: block.header.block + 1 })
    }
  }
  assertHeaders(headers)
  return { proofs: [...proofs], unproved }
}
