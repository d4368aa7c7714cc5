import type { ReadContext, ReadResult, RowsOrColumns } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { whole } from '#sources/block_units.ts'
import { readHeaders } from '#sources/evm/rpc/blocks.ts'
import { sortedProofs, type Proof } from '#sources/evm/rpc/proof.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'

import { DeepReorganization, lastCommonBlock, storedBlock } from './forks.ts'
import { bodiesOf, readBodies, type RawBlock } from './raw_block.ts'
import { readBlocks } from './read_blocks.ts'
import type { WantedLogs } from './wanted_logs.ts'

const isWhole = ({ params }: Unit): boolean => params.includes(whole)

/**
 * Reads the blocks of a unit. Of a unit that is not closed, the stored blocks that the chain still has are used again,
 * so that a new head costs the new blocks alone. Each block is in memory until its rows and its text are made.
 * Undefined if the stored reading still holds.
 */
export async function readUnitBlocks(
  rpc: Rpc,
  unit: Unit,
  context: ReadContext,
  { filter, openRows }: WantedLogs,
): Promise<ReadResult<RowsOrColumns> | undefined> {
  const { final } = context.watermark
  const end = unit.to ?? context.until
  const to = Math.min(end, context.until)
  if (to <= unit.from) throw new Error(`upstream head: block ${to - 1}; expected at least block ${unit.from}`)
  const stored = await storedBlocks(rpc, unit, context, to)
  // An ended unit is stored once more, as closed.
  if (stored?.isCurrent === true && stored.to === to && final < end) return undefined
  const { blocks: kept, proofs } = await keptBlocks(rpc, unit, context, stored)
  const last = kept.at(-1)
  const from = last === undefined ? unit.from : last.block + 1
  const is_whole = isWhole(unit)
  const rows = openRows(rpc.chain, to)
  const texts = new Map<number, string>()
  const add = (block: RawBlock): void => {
    texts.set(block.block, JSON.stringify(block))
    rows.add(block)
  }
  for (const block of kept) add(block)
  const reading = await readBlocks(rpc, { from, to }, { filter, is_whole, final }, (block) => {
    if (last !== undefined && block.block === from && block.parent_hash !== last.hash)
      throw new Error(`block ${from}: its parent is not block ${last.block}; expected blocks of one fork`)
    add(block)
  })
  const head = { final, is_whole, ...reading, proofs: sortedProofs([...proofs, ...reading.proofs]) }
  return { ...rows.result(head), bodies: bodiesOf(head, texts) }
}

/** The end of a stored reading, and whether the chain still has its last block. */
type StoredEnd = { to: number; isCurrent: boolean }

/** The stored reading of a unit that is not closed; undefined if it cannot be continued. */
async function storedBlocks(rpc: Rpc, unit: Unit, context: ReadContext, to: number): Promise<StoredEnd | undefined> {
  const stored = await context.stored()
  if (stored?.state !== 'head' || stored.to === null || unit.forceRefresh === true) return undefined
  // The chain of a node that lags ends before the stored end; its reading is refused when it is stored.
  if (stored.to > to) return undefined
  const last = stored.to - 1
  const row = await storedBlock(context.lake, unit, { chain: rpc.chain.slug, block: last })
  if (row === undefined) return undefined
  const header = (await readHeaders(rpc, [last])).get(last)
  return { to: stored.to, isCurrent: header?.hash === row.hash }
}

/** The kept blocks that the chain still has, from the start of the unit on without a gap, with their proofs. */
async function keptBlocks(
  rpc: Rpc,
  unit: Unit,
  context: ReadContext,
  stored: StoredEnd | undefined,
): Promise<{ blocks: RawBlock[]; proofs: readonly Proof[] }> {
  const none = { blocks: [], proofs: [] }
  const bodies = stored === undefined ? [] : await context.storedBodies()
  if (stored === undefined || bodies.length === 0) return none
  const { to, isCurrent } = stored
  const { head, blocks } = readBodies(bodies)
  // Raw responses are written before the rows, so they may be of a reading that was never stored.
  const { proofs, unproved = [] } = head
  if (proofs === undefined || unproved.length > 0) return none
  if (head.is_whole !== isWhole(unit) || blocks.at(-1)?.block !== to - 1) return none
  const common = isCurrent ? to - 1 : await lastCommonBlock(rpc, blocks)
  if (common !== undefined && common + 1 >= Math.min(head.final, to))
    return { blocks: blocks.filter(({ block }) => block <= common), proofs }
  if (head.final > unit.from)
    throw new DeepReorganization(unit.part, Math.max(unit.from, (common ?? 0) + 1), unit.source)
  return none
}
