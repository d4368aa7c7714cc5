import { z } from 'zod'

import { coverage } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { lakeTable, selectFrom } from '#lake/sql.ts'
import { currentFiles, located } from '#lake/views.ts'
import { literal, withConnection } from '#storage/duckdb.ts'

import type { UnitKind } from './unit.ts'

/** The coverage of a unit: whether it is closed, and its rows by dataset. */
export type KnownUnit = { isClosed: boolean; n_rows: Map<string, number> }

const entryShape = z.object({ name: z.string(), dataset: z.string(), n_rows: z.bigint(), is_closed: z.boolean() })

/**
 * The coverage of units of one folder (`<source>/<part>`, for histories also the two letters below it), by name: all
 * units from a name on, and all that are not closed.
 */
export async function coverageStates(
  lake: Lake,
  { folder, kind, from }: { folder: string; kind: UnitKind; from: string },
): Promise<Map<string, KnownUnit>> {
  const files = await currentFiles(lake.storage, lakeTable(coverage.name).root, [`${folder}/`])
  // An open history is retried after `unavailable`: the account may be created later.
  const isOver = kind === 'history' ? 'to_at is null' : 'true'
  const entries = await withConnection(lake.writer, async (connection) => {
    const reader = await connection.runAndReadAll(
      `select regexp_extract(unit, '([^/]*)\\.parquet$', 1) as name, dataset, n_rows,
         state in ('done', 'expired') or (state = 'unavailable' and ${isOver}) as is_closed
       from (${selectFrom(coverage, located(lake.storage, files))})
       where name >= ${literal(from)} or not is_closed`,
    )
    return z.array(entryShape).parse(reader.getRowObjectsJS())
  })
  const known = new Map<string, KnownUnit>()
  for (const { name, dataset, n_rows, is_closed } of entries) {
    const unit = known.get(name) ?? { isClosed: true, n_rows: new Map<string, number>() }
    known.set(name, unit)
    unit.isClosed &&= is_closed
    unit.n_rows.set(dataset, Number(n_rows))
  }
  return known
}
