import { isDeepStrictEqual } from 'node:util'

import { replaceCoverage } from '#lake/catalog/commit_units.ts'
import type { CoverageRow } from '#lake/catalog/tables.ts'
import type { Lake } from '#lake/lake.ts'
import type { ReasonCode } from '#lake/reasons.ts'
import type { Micros } from '#time.ts'

/** The result of a cross-check of a stored unit with the rows of other sources. */
export type UnitMark = {
  unit: string
  /** The instant of the reading that was compared. A newer reading is not marked. */
  checked_at: Micros
  /** The reason why the unit cannot be complete; null if no other source contradicts it. */
  contradiction: string | null
  /** The sources whose rows agree with those of the unit, in order. */
  agreed: readonly string[]
}

/** The sentence of a contradicted unit. */
const contradictedReason = (contradiction: string): string => `contradicted: ${contradiction}`

const contradicted: ReasonCode = 'contradicted'

const unitsAtOnce = 500

/**
 * Records in coverage which sources agree with units, and which units they contradict. A contradicted unit is
 * unverified. It has its proof again once nothing contradicts it. The rows stay as they are. Returns the marks that
 * changed a unit: a repetition changes nothing.
 */
export async function markUnits({ catalog }: Pick<Lake, 'catalog'>, marks: readonly UnitMark[]): Promise<UnitMark[]> {
  const changes: UnitMark[] = []
  for (let start = 0; start < marks.length; start += unitsAtOnce) {
    const part = new Map(marks.slice(start, start + unitsAtOnce).map((mark) => [mark.unit, mark]))
    changes.push(
      ...(await catalog.commit(async (commit) => {
        const stored = await commit.tx
          .selectFrom('tapeline_coverage')
          .selectAll()
          .where('unit', 'in', [...part.keys()])
          .where('end_snapshot', 'is', null)
          .execute()
        const marked = stored.flatMap(({ begin_snapshot: _, end_snapshot: __, ...row }) => {
          const mark = part.get(row.unit)
          return mark === undefined || mark.checked_at !== row.checked_at
            ? []
            : [{ row, mark, next: withMark(row, mark) }]
        })
        const changed = new Map(
          marked.filter(({ row, next }) => !isDeepStrictEqual(row, next)).map(({ mark }) => [mark.unit, mark]),
        )
        const rows = marked.map(({ next }) => next).filter(({ unit }) => changed.has(unit))
        if (rows.length > 0) await replaceCoverage(commit, [...changed.keys()], rows)
        return [...changed.values()]
      })),
    )
  }
  return changes
}

function withMark(row: CoverageRow, { contradiction, agreed }: UnitMark): CoverageRow {
  const verified = JSON.stringify(agreed)
  if (contradiction !== null)
    return {
      ...row,
      verified,
      state: 'unverified',
      reason: contradictedReason(contradiction),
      reason_code: contradicted,
    }
  if (row.reason_code !== contradicted) return { ...row, verified }
  return { ...row, verified, state: row.to_at === null ? 'done' : 'head', reason: null, reason_code: null }
}
