import type { Lake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { RowKeeper } from '#lake/units/spilled_rows.ts'
import { storeUnit, type StoreResult, type UnitContents } from '#lake/units/store_unit.ts'
import { spanOf, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import type { Get } from './http/request.ts'
import { mostRejected, unparsed } from './parse/rows.ts'
import { valuesOf } from './setting.ts'
import type { ReadResult, PlannedSource, RowsOrColumns, Watermark } from './source.ts'
import { storedBodies, storedRows, storedUnit } from './stored_unit.ts'
import { partOf } from './units.ts'
import { hasEnded } from './watermark.ts'

/** Later than every instant and block: a closed unit has no rows to leave for later. */
const never = Number.MAX_SAFE_INTEGER

/** The reading of a unit and its start. The reading of a history may begin after the start of the history. */
export type UnitReading = Omit<UnitContents, 'asked'> & { from: number; bodies?: readonly string[] | undefined }

/** A reading with a further reason. */
export const withReason = (reading: UnitReading, more: string): UnitReading => ({
  ...reading,
  reason: reading.reason === undefined ? more : `${reading.reason}; ${more}`,
})

/** Stores a reading. The start of the complete part is not in the path of a history. */
export const storeReading = (
  lake: Lake,
  unit: Unit,
  { from, bodies: _, ...contents }: UnitReading,
  asked: readonly string[],
): Promise<StoreResult> => storeUnit(lake, { ...unit, from }, { ...contents, asked: [...asked].sort() })

type ReadTools = {
  get: Get
  at: Micros
  watermark: Watermark
  reader: LakeReader
  lake: Lake
  /** The raw bodies that a reparse reads in place of the upstream. */
  bodies?: readonly string[]
  /** Takes the rows of large units as they come. */
  kept: RowKeeper
}

/** Reads a unit from its source as of an instant; undefined if the stored reading still holds. */
export async function readUnit(source: PlannedSource, unit: Unit, tools: ReadTools): Promise<UnitReading | undefined> {
  const { at, watermark } = tools
  const isEnded = hasEnded(unit, watermark)
  const until = isEnded ? never : watermark.head
  const pulled = await pullOrReparse(source, unit, until, tools)
  if (pulled === 'unchanged') return undefined
  const rows: UnitReading['rows'] = {}
  // A dataset without rows has an entry too, since an empty result is an answer.
  for (const name of source.datasets) rows[name] = await tools.kept.rowsOf(name, pulled.rows[name] ?? [])
  return {
    rows,
    rejected: pulled.rejected,
    n_read: pulled.n_read,
    n_rejected: rejectedOf(source, pulled),
    precedence: source.precedence,
    from: unit.kind === 'history' ? Math.max(unit.from, pulled.from ?? unit.from) : unit.from,
    state: stateOf(pulled, isEnded),
    to: isEnded ? (unit.kind === 'history' ? null : unit.to) : Math.min(until, pulled.to ?? endOf(unit, until)),
    proof: pulled.proof,
    reason: reasonOf(pulled),
    upstreamAt: pulled.upstreamAt,
    checkedAt: at,
    bodies: pulled.bodies,
  }
}

async function pullOrReparse(
  source: PlannedSource,
  unit: Unit,
  until: number,
  { get, at, watermark, reader, lake, bodies, kept }: ReadTools,
): Promise<ReadResult<RowsOrColumns> | 'unchanged'> {
  const part = partOf(source, unit.part)
  if (bodies !== undefined && source.reparse !== undefined) return source.reparse(unit, bodies, { part, until })
  return source.read(unit, {
    get,
    settings: valuesOf(source),
    part,
    watermark,
    at,
    until,
    lake: reader,
    keepRows: kept.keep,
    changeRows: (dataset, change) => kept.change(dataset, change as Parameters<RowKeeper['change']>[1]),
    bodies: kept.bodies,
    stored: () => storedUnit(lake, unit, at),
    storedRows: (dataset, before) => storedRows(lake, unit, dataset, before),
    storedBodies: () => storedBodies(lake, unit),
  })
}

/**
 * The end of an open unit, if its source gives none. A unit of blocks ends at its last block, which may be below the
 * head.
 */
const endOf = ({ kind, to }: Unit, until: number): number =>
  spanOf(kind) === 'blocks' ? Math.min(until, to ?? until) : until

/** A unit with rejected rows has no proof. */
function stateOf({ state, rejected }: ReadResult<RowsOrColumns>, isEnded: boolean): UnitContents['state'] {
  if (state === 'unavailable') return 'unavailable'
  if (rejected.length > 0) return 'quarantined'
  if (state === 'unverified') return 'unverified'
  return isEnded && state === 'complete' ? 'done' : 'head'
}

/** The rejected rows of each dataset are unknown if not all of them are kept. */
const rejectedOf = ({ datasets }: PlannedSource, { rejected }: ReadResult<RowsOrColumns>): UnitContents['n_rejected'] =>
  rejected.length < mostRejected ? undefined : Object.fromEntries(datasets.map((name) => [name, null]))

function reasonOf({ reason, rejected }: ReadResult<RowsOrColumns>): string | undefined {
  if (rejected.length === 0) return reason
  const rows = unparsed(rejected.length)
  return reason === undefined ? rows : `${rows}; ${reason}`
}
