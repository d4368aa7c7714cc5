import type { Watermark } from '#ingest/source.ts'
import { readHeaders } from '#sources/evm/rpc/blocks.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { SECOND, type Micros } from '#time.ts'

/** The first block at or after an instant; the exclusive end of the chain if there is none. */
export type BlockFinder = (rpc: Rpc, at: Micros, watermark: Watermark) => Promise<number>

const mostKnown = 10_000
/** Milliseconds between the blocks of a chain whose time is unknown; the search corrects it. */
const usualBlock_ms = 2_000

/** The time of the first block from a number on, in seconds. Chains with skipped numbers have later blocks at some. */
export type ReadTime = (rpc: Rpc, block: number) => Promise<number>

/** Makes a finder that remembers its results, since a follow asks for the same instant in each round. */
export function createBlockFinder(readTime: ReadTime = timeOfHeader): BlockFinder {
  const finalBlocks = new Map<string, number>()
  return async (rpc, at, { head, final }) => {
    const key = `${rpc.chain.slug} ${at}`
    const firstBlock =
      finalBlocks.get(key) ?? (await searchBlock((block) => readTime(rpc, block), rpc, { wanted_s: at / SECOND, head }))
    if (finalBlocks.size >= mostKnown) finalBlocks.clear()
    // A final block keeps its time.
    if (firstBlock < final) finalBlocks.set(key, firstBlock)
    return Math.min(firstBlock, head)
  }
}

type Point = { block: number; time_s: number }

async function searchBlock(
  timeOf: (block: number) => Promise<number>,
  { chain }: Rpc,
  { wanted_s, head }: { wanted_s: number; head: number },
): Promise<number> {
  const pointOf = async (block: number): Promise<Point> => ({ block, time_s: await timeOf(block) })
  let last = await pointOf(head - 1)
  if (last.time_s < wanted_s) return head
  let first = last
  const block_s = (chain.block_ms ?? usualBlock_ms) / 1_000
  // Nodes without old blocks are not asked for the start of the chain.
  for (let back = Math.ceil((last.time_s - wanted_s) / block_s) + 1; first.time_s >= wanted_s; back *= 2) {
    last = first
    if (first.block === 0) return 0
    first = await pointOf(Math.max(0, first.block - back))
  }
  for (let turn = 0; last.block - first.block > 1; turn++) {
    // Every third turn halves the rest, since times may be far from even.
    const share = turn % 3 === 2 ? 0.5 : (wanted_s - first.time_s) / (last.time_s - first.time_s)
    const guess = first.block + Math.round((last.block - first.block) * share)
    const point = await pointOf(Math.min(last.block - 1, Math.max(first.block + 1, guess)))
    if (point.time_s < wanted_s) first = point
    else last = point
  }
  return last.block
}

async function timeOfHeader(rpc: Rpc, block: number): Promise<number> {
  const header = (await readHeaders(rpc, [block])).get(block)
  return header?.time_s ?? 0
}
