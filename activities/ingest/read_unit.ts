import type { Get } from '#activities/http/request.ts'
import type { PullResult, PullSource, RowsOrColumns, Watermark } from '#activities/source.ts'
import type { Lake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import { storeUnit, type StoreResult, type UnitContents } from '#lake/units/store_unit.ts'
import { spanOf, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import { storedUnit, storedRows } from './stored_unit.ts'
import { partOf } from './units.ts'
import { hasEnded } from './watermark.ts'

/** The end of time and of all chains: of a closed unit nothing is held back. */
const never = Number.MAX_SAFE_INTEGER

/** What a source says of a unit, and from where on: of a life it may not reach back to the beginning. */
export type UnitReading = Omit<UnitContents, 'asked'> & { from: number }

/** Stores a reading. Where a life is whole from does not change its path. */
export const storeReading = (
  lake: Lake,
  unit: Unit,
  { from, ...contents }: UnitReading,
  asked: readonly string[],
): Promise<StoreResult> => storeUnit(lake, { ...unit, from }, { ...contents, asked: [...asked].sort() })

/** Reads what a source says of a unit at an instant. */
export async function readUnit(
  source: PullSource,
  unit: Unit,
  { get, at, watermark, reader, lake }: { get: Get; at: Micros; watermark: Watermark; reader: LakeReader; lake: Lake },
): Promise<UnitReading> {
  const isEnded = hasEnded(unit, watermark)
  const until = isEnded ? never : watermark.head
  const pulled = await source.pull(unit, {
    get,
    part: partOf(source, unit.part),
    watermark,
    at,
    until,
    lake: reader,
    stored: () => storedUnit(lake, unit),
    storedRows: (dataset, before) => storedRows(lake, unit, dataset, before),
  })
  return {
    // A dataset without rows is an answer too, and has its entry.
    rows: Object.fromEntries(source.datasets.map((name) => [name, pulled.rows[name] ?? []])),
    rejected: pulled.rejected,
    precedence: source.precedence,
    from: unit.kind === 'history' ? Math.max(unit.from, pulled.from ?? unit.from) : unit.from,
    state: stateOf(pulled, isEnded),
    to: isEnded ? (unit.kind === 'history' ? null : unit.to) : Math.min(until, pulled.to ?? endOf(unit, until)),
    proof: pulled.proof,
    reason: reasonOf(pulled),
    upstreamAt: pulled.upstreamAt,
    checkedAt: at,
  }
}

/** Where an open unit ends that does not say so: one of blocks at its last block, which may be below the head. */
const endOf = ({ kind, to }: Unit, until: number): number =>
  spanOf(kind) === 'blocks' ? Math.min(until, to ?? until) : until

/** Without the rows that did not parse nothing is proved. */
function stateOf({ state, rejected }: PullResult<RowsOrColumns>, isEnded: boolean): UnitContents['state'] {
  if (state === 'unavailable') return 'unavailable'
  if (rejected.length > 0) return 'quarantined'
  if (state === 'unverified') return 'unverified'
  return isEnded && state === 'complete' ? 'done' : 'head'
}

function reasonOf({ reason, rejected }: PullResult<RowsOrColumns>): string | undefined {
  if (rejected.length === 0) return reason
  const unparsed = rejected.length === 1 ? '1 row did not parse' : `${rejected.length} rows did not parse`
  return reason === undefined ? unparsed : `${unparsed}; ${reason}`
}
