import { z } from 'zod'

import { isFirstOfDay } from '#ingest/change_rows.ts'
import type { PlanContext } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import { gridInstant, SECOND } from '#time.ts'

/** The settings that sources which observe what the swaps of a chain name have in common. */
export const observing = {
  unit: 'observation',
  precedence: 1,
  lag_s: 0,
  settle_s: 0,
  grid_s: 60,
  follow: { group: 'swaps' },
} as const

/** The sources of transactions of a chain, in a list of SQL. */
export const transactionSources = "('evm_swaps', 'evm_accounts')"

/** Their units on a chain. */
export const unitsOfTransactions = (chain: string): string[] => [`evm_swaps/${chain}/`, `evm_accounts/${chain}/`]

/** Such a source. `most` is the number of parameters of one unit. */
type Observer = { name: string; most: number }

/**
 * The parameters that stored units of transactions name and that no observation before an instant has. `units` are the
 * units to search.
 */
type FindNew = (before: number, units: readonly string[]) => Promise<string[]>

/**
 * The units of a source that observes each thing once. Once a day all transactions of the chain are searched, otherwise those
 * that were read since the last observation. What exceeds a unit goes to units of free instants before it.
 */
export async function planObservations(
  { name, most }: Observer,
  { at, part, lake, includeOpen }: Pick<PlanContext, 'at' | 'part' | 'lake' | 'includeOpen'>,
  findNew: FindNew,
): Promise<Unit[]> {
  const latest = gridInstant(at, observing.grid_s)
  const chain = part.name
  const isShort = includeOpen && !(await isFirstOfDay(lake, { name, part: chain }, latest))
  const searched = isShort ? await recentUnits(lake, { name, chain }) : unitsOfTransactions(chain)
  const newParams = searched.length === 0 ? [] : await findNew(latest, searched)
  const taken = await storedInstants(lake, { name, chain })
  const units: Unit[] = []
  for (let [n, from] = [0, latest]; n < newParams.length; from -= observing.grid_s * SECOND) {
    if (taken.has(from)) continue
    const params = newParams.slice(n, n + most)
    units.push(unitOf({ name, unit: 'observation', part: chain }, { from, to: from, params }))
    n += most
  }
  return units
}

/**
 * The last block that `evm_swaps` has read, or 0; with `ofAll`, also of an account. The state before it may lack the code
 * of an address.
 */
export async function lastStoredBlock(lake: LakeReader, chain: string, ofAll?: 'ofAll'): Promise<number> {
  const [row] = await lake.query(
    `select coalesce(max(to_block), 1) - 1 as block from lake.coverage
     where source in ${transactionSources} and part = $chain and state <> 'missing' and (key = '' or $all)`,
    z.object({ block: z.coerce.number() }),
    { chain, all: ofAll !== undefined },
    { coverage: unitsOfTransactions(chain) },
  )
  return row?.block ?? 0
}

type Observed = { name: string; chain: string }

/** The units of transactions that were read since the last observation, with a margin for those that end late. */
async function recentUnits(lake: LakeReader, { name, chain }: Observed): Promise<string[]> {
  const rows = await lake.query(
    `with last as (select max(from_at) as from_at from lake.coverage where source = $name and part = $chain and state <> 'missing')
     select distinct unit from lake.coverage
     where source in ${transactionSources} and part = $chain
       and checked_at >= (select from_at - interval 1 hour from last)`,
    z.object({ unit: z.string() }),
    { name, chain },
    { coverage: [`${name}/${chain}/`, ...unitsOfTransactions(chain)] },
  )
  return rows.map(({ unit }) => unit)
}

/** The instants of stored units. */
async function storedInstants(lake: LakeReader, { name, chain }: Observed): Promise<Set<number>> {
  const rows = await lake.query(
    `select distinct epoch_us(from_at) as from_us from lake.coverage
     where source = $name and part = $chain and state <> 'missing'`,
    z.object({ from_us: z.coerce.number() }),
    { name, chain },
    { coverage: [`${name}/${chain}/`] },
  )
  return new Set(rows.map(({ from_us }) => from_us))
}
