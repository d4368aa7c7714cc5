import { LeaseHeld, withLease } from '#lake/catalog/lease.ts'
import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { unitPath } from '#lake/units/unit.ts'
import type { Clock, Micros } from '#time.ts'

const MILLISECOND = 1_000

/** A dataset that only grows, the source of its rows, and the lease of the process that appends to it. */
type Appended<T> = {
  dataset: 'feed' | 'grades'
  source: string
  lease: string
  /** The new rows, in their order. */
  find: () => Promise<readonly T[]>
  /** The row with its instant. */
  rowOf: (row: T, at: Micros) => object
}

type Tools = { clock: Clock; now: () => Micros }

/**
 * Finds rows and appends them to a dataset in one commit, and returns their number: 0 also while another process
 * appends. Their instants are whole milliseconds of the world's `clock`, and later than those of all stored rows. A
 * reader of all rows up to an instant therefore misses none.
 */
export async function appendFound<T>(lake: Lake, target: Appended<T>, tools: Tools): Promise<number> {
  try {
    return await withLease(lake.catalog, target.lease, tools.now, async () => {
      const rows = await target.find()
      if (rows.length > 0) await append(lake, target, rows, tools)
      return rows.length
    })
  } catch (error) {
    if (error instanceof LeaseHeld || error instanceof LaterRows) return 0
    throw error
  }
}

/** Another process has appended rows after this one read the dataset. */
class LaterRows extends Error {
  override name = 'LaterRows'
}

/** The rows are one unit, whose key is the first instant. */
async function append<T>(
  lake: Lake,
  { dataset, source, rowOf }: Appended<T>,
  rows: readonly T[],
  { clock, now }: Tools,
): Promise<void> {
  const clock_ms = Math.floor(clock() / MILLISECOND)
  const first = Math.max(clock_ms * MILLISECOND, await endOf(lake.catalog.db, dataset, ''))
  const unit = {
    source,
    kind: 'history' as const,
    part: source,
    key: new Date(first / MILLISECOND).toISOString().replaceAll(/[:.]/g, ''),
    from: first,
    to: first + rows.length * MILLISECOND,
    params: [],
  }
  await storeUnit(lake, unit, {
    rows: { [dataset]: rows.map((row, n) => rowOf(row, first + n * MILLISECOND)) },
    rejected: [],
    precedence: 1,
    state: 'done',
    to: unit.to,
    proof: 'published here',
    asked: [],
    checkedAt: now(),
    inCommit: async ({ tx }) => {
      if ((await endOf(tx, dataset, unitPath(unit))) > first) throw new LaterRows(`${dataset}: later rows were stored`)
    },
  })
}

/** The end of the stored rows, which are those of all units but one: no later row has an earlier instant. */
async function endOf(db: Lake['catalog']['db'], dataset: string, but: string): Promise<Micros> {
  const row = await db
    .selectFrom('tapeline_coverage')
    .select(({ fn }) => fn.max('to_at').as('end'))
    .where('dataset', '=', dataset)
    .where('unit', '<>', but)
    .where('end_snapshot', 'is', null)
    .executeTakeFirst()
  return row?.end ?? 0
}
