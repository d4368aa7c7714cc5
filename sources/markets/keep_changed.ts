import { isChange, lastRows, type StoredRow } from '#ingest/change_rows.ts'
import { openLost } from '#ingest/lost_columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import { instantName } from '#lake/units/spilled_rows.ts'
import type { Micros } from '#time.ts'

type ListedRow = Readonly<Record<string, unknown>> & { market_id: string }

type Kept<Row> = {
  lake: LakeReader
  dataset: 'markets' | 'resolutions'
  source: string
  /** The instant of the observation. A kept row has its place in the list in its stead, and gets the instant here. */
  at: Micros
  /** Replaces the kept rows by what a function makes of them, all rows of a market together. */
  change: (by: (rows: Row[]) => Promise<readonly Row[]>) => Promise<void>
  /** Gives a row its other columns. `last` is the last stored row of its market. */
  complete?: (row: Row, last: StoredRow | undefined) => Row
  /** Whether a row stays. The columns of the others are counted before they go. */
  isKept?: (row: Row) => boolean
}

/**
 * Completes the kept rows of an observation, and leaves those that differ from the last ones which their source stored
 * of their markets. Of several rows of a market the last one in the list counts. Some thousands at a time are compared.
 * Returns the numbers of markets and of changes, and the columns that have no value any more.
 */
export async function keepChanged<Row extends ListedRow>({
  lake,
  dataset,
  source,
  at,
  change,
  complete = (row) => row,
  isKept = () => true,
}: Kept<Row>): Promise<{ n_markets: number; n_changed: number; lost: string[] }> {
  const instant = instantName(dataset)
  const lost = openLost(dataset)
  let [n_markets, n_changed] = [0, 0]
  await change(async (rows) => {
    const latest = latestOf(rows, instant)
    const market_ids = [...latest.keys()]
    const last = await lastRows(lake, { source, dataset, instant, before: at, market_ids })
    const changed: Row[] = []
    for (const [id, row] of latest) {
      const whole = { ...complete(row, last.get(id)), [instant]: at }
      lost.add([whole], last)
      if (isKept(row) && isChange(dataset, whole, last.get(id), instant)) changed.push(whole)
    }
    n_markets += latest.size
    n_changed += changed.length
    return changed
  })
  return { n_markets, n_changed, lost: lost.columns() }
}

/** The row of each market that has the last place in the list. */
function latestOf<Row extends ListedRow>(rows: readonly Row[], instant: 'seen_at' | 'ts'): Map<string, Row> {
  const latest = new Map<string, Row>()
  for (const row of rows) {
    const newest = latest.get(row.market_id)
    if (newest === undefined || Number(row[instant]) > Number(newest[instant])) latest.set(row.market_id, row)
  }
  return latest
}
