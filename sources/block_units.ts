import { z } from 'zod'

import type { Settings } from '#ingest/setting.ts'
import type { PlanContext } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { slugsOf } from '#registry/chains/find_chain.ts'

/** The parameter of a unit of which all transactions are read, not only those with a swap. */
export const whole = 'whole'

/** The settings of the sources that read blocks. */
export const chainSettings = {
  whole: {
    name: 'TAPELINE_WHOLE_CHAINS',
    shape: z.string().default('').transform(slugsOf),
    doc: 'Chains that are read with all their transactions, separated by commas: see [chains](chains.md)',
  },
} satisfies Settings

/** The parameters of the units of a chain. */
export const paramsOf = ({ slug }: Chain, { settings }: PlanContext<typeof chainSettings>): readonly string[] =>
  settings.whole.includes(slug) ? [whole] : []

/** The units of one round of a follow, beside those that are open. */
const unitsPerRound = 20

/**
 * The blocks of a plan: from `first` to `end`, exclusive. `params` are those of each unit. `part` is the chain, unless
 * the source names its parts otherwise; `sizeAt` is the size of the unit that has a block, unless it is the chain's. Sizes
 * change at multiples of both.
 */
type Interval = {
  source: string
  chain: Chain
  first: number
  end: number
  params: readonly string[]
  part?: string
  sizeAt?: (block: number) => number
}

/**
 * The units of blocks that a plan has. A follow reads those that are open, and of the others the newest that are
 * missing: so it stays at the head while it reads the past.
 */
export async function dueUnits(
  { source, chain, first, end, params, part = chain.slug, sizeAt = () => chain.unit_blocks }: Interval,
  { lake, includeOpen }: Pick<PlanContext, 'lake' | 'includeOpen'>,
): Promise<Unit[]> {
  const all: number[] = []
  for (let block = first - (first % sizeAt(first)); block < end; block += sizeAt(block)) all.push(block)
  const units = includeOpen ? followed(all, await storedUnits(source, part, lake)) : all
  return units.map((block) =>
    unitOf({ name: source, unit: 'blocks', part }, { from: block, to: block + sizeAt(block), params: [...params] }),
  )
}

type StoredUnits = ReadonlyMap<number, 'open' | 'closed'>

const followed = (all: readonly number[], stored: StoredUnits): number[] => [
  ...[...stored].flatMap(([block, is]) => (is === 'open' ? [block] : [])),
  ...all.filter((block) => !stored.has(block)).slice(-unitsPerRound),
]

/** The stored units of a part, by their first blocks. A unit that could not be read is none. */
async function storedUnits(source: string, part: string, lake: PlanContext['lake']): Promise<StoredUnits> {
  const rows = await lake.query(
    `select from_block, state in ('done', 'expired') as is_closed from lake.coverage
     where source = $source and part = $part and dataset = 'blocks' and state <> 'missing'`,
    z.object({ from_block: z.coerce.number(), is_closed: z.boolean() }),
    { source, part },
    { coverage: [`${source}/${part}/`] },
  )
  return new Map(rows.map(({ from_block, is_closed }) => [from_block, is_closed ? 'closed' : 'open']))
}
