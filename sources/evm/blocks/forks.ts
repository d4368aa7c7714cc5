import { z } from 'zod'

import type { Watermark } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { LakeReader } from '#lake/reader.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { readHeaders } from '#sources/evm/rpc/blocks.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'

import type { RawBlock } from './raw_block.ts'

/** A final block was replaced. The stored units below are of a fork that the chain has left. */
export class DeepReorganization extends Error {
  constructor(chain: string, block: number, source: string) {
    super(
      `${chain}: block ${block} was final and is replaced; expected final blocks to stay. This chain is not read until ` +
        `\`tapeline backfill ${source} --refresh\`, from an instant before the block, has read it again`,
    )
    this.name = 'DeepReorganization'
  }
}

/** The headers of the first request of a walk; each further request asks for more. */
const firstWalk = 4

/**
 * The last of the given blocks that the chain still has; undefined if it has none of them. The blocks are in the order
 * of their numbers.
 */
export async function lastCommonBlock(rpc: Rpc, blocks: readonly RawBlock[]): Promise<number | undefined> {
  for (let [end, size] = [blocks.length, firstWalk]; end > 0; end -= size, size *= 4) {
    const asked = blocks.slice(Math.max(0, end - size), end)
    const headers = await readHeaders(
      rpc,
      asked.map(({ block }) => block),
    )
    const common = asked.findLast(({ block, hash }) => headers.get(block)?.hash === hash)
    if (common !== undefined) return common.block
  }
  return undefined
}

const tipShape = z.object({ hash: z.string(), state: z.string() })

/** The stored hash of a block of a unit, and the state of the unit; undefined if the block has no row. */
export async function storedBlock(
  lake: LakeReader,
  unit: Unit,
  { chain, block }: { chain: string; block: number },
): Promise<z.output<typeof tipShape> | undefined> {
  const path = unitPath(unit)
  const [row] = await lake.query(
    `select b.hash, c.state from lake.blocks b join lake.coverage c on c.unit = $path and c.dataset = 'blocks'
     where b.source = $source and b.chain = $chain and b.block = ${block}`,
    tipShape,
    { path, source: unit.source, chain },
    { blocks: [path], coverage: [path] },
  )
  return row
}

/**
 * Throws a {@link DeepReorganization} if the chain no longer has the last block of the highest closed unit. A fork that
 * replaced any closed unit has replaced that block too. A unit with rejected rows may have been read before its end was
 * final, so it shows nothing.
 */
export async function assertClosedUnits(
  rpc: Rpc,
  { lake, source, part, watermark }: { lake: LakeReader; source: string; part: string; watermark: Watermark },
): Promise<void> {
  const [closed] = await lake.query(
    `select max(to_block) as to_block, arg_max(from_block, to_block) as from_block from lake.coverage
     where source = $source and part = $part and dataset = 'blocks' and state = 'done'`,
    z.object({ to_block: z.coerce.number().nullable(), from_block: z.coerce.number() }),
    { source, part },
    { coverage: [`${source}/${part}/`] },
  )
  const to = closed?.to_block ?? null
  if (closed === undefined || to === null || to > watermark.head) return
  const unit = unitOf({ name: source, unit: 'blocks', part }, { from: closed.from_block, to })
  const row = await storedBlock(lake, unit, { chain: rpc.chain.slug, block: to - 1 })
  if (row === undefined) return
  const header = (await readHeaders(rpc, [to - 1])).get(to - 1)
  if (header?.hash !== row.hash) throw new DeepReorganization(part, to - 1, source)
}
