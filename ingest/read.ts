import type { Lake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import { graver, type ReasonCode } from '#lake/reasons.ts'
import type { RowKeeper } from '#lake/units/spilled_rows.ts'
import type { UnitContents } from '#lake/units/store_unit.ts'
import { spanOf, type Unit } from '#lake/units/unit.ts'
import { isAhead, isoMicros, type Micros } from '#time.ts'

import type { Shown } from './http/get.ts'
import type { Get } from './http/request.ts'
import { mostRejected, unparsed } from './parse/rows.ts'
import { valuesOf } from './setting.ts'
import type { ReadResult, PlannedSource, RowsOrColumns, Watermark } from './source.ts'
import { storedBodies, storedRows, storedUnit } from './stored_rows.ts'
import { partOf } from './units.ts'
import { hasEnded, hasOwnWatermark, watermarkAt } from './watermark.ts'

/** Later than every instant and block: a closed unit has no rows to leave for later. */
const never = Number.MAX_SAFE_INTEGER

/** The reading of a unit and its start. The reading of a history may begin after the start of the history. */
export type UnitReading = Omit<UnitContents, 'asked'> & {
  from: number
  bodies?: readonly string[] | undefined
  /** The upstream knows the key of the unit. */
  isKnown?: true
}

/** A reading with a further reason. */
export const withReason = (reading: UnitReading, more: string, code: ReasonCode): UnitReading => ({
  ...reading,
  reasonCode: graver(code, reading.reasonCode),
  reason: reading.reason === undefined ? more : `${reading.reason}; ${more}`,
})

/** Whether a reading has no proof. */
export const isUnverified = ({ state }: UnitReading): boolean => state !== 'done' && state !== 'head'

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
  /** The latest instant that the upstream states while it is read. */
  shown?: Shown
}

/** Reads a unit from its source as of an instant; undefined if the stored reading still holds. */
export async function read(source: PlannedSource, unit: Unit, tools: ReadTools): Promise<UnitReading | undefined> {
  const { at, watermark, kept, shown } = tools
  const isEnded = hasEnded(unit, watermark)
  const until = isEnded ? never : watermark.head
  const result = await readSource(source, unit, until, tools)
  if (result === 'unchanged') return undefined
  const rows: UnitReading['rows'] = {}
  // A dataset without rows has an entry too, since an empty result is an answer.
  for (const name of source.datasets) rows[name] = await kept.rowsOf(name, result.rows[name] ?? [])
  const reading: UnitReading = {
    rows,
    rejected: result.rejected,
    n_read: result.n_read,
    n_rejected: rejectedOf(source, result),
    precedence: source.precedence,
    from: unit.kind === 'history' ? Math.max(unit.from, result.from ?? unit.from) : unit.from,
    state: stateOf(result, isEnded),
    to: isEnded ? (unit.kind === 'history' ? null : unit.to) : Math.min(until, result.to ?? endOf(unit, until)),
    proof: result.proof,
    ...reasonOf(result),
    gaps: result.gaps,
    resume: result.resume,
    ...(result.isKnown === true ? { isKnown: true } : {}),
    upstreamAt: result.upstreamAt,
    checkedAt: at,
    bodies: result.bodies,
  }
  return asShown(source, unit, reading, shown?.at ?? null)
}

async function readSource(
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

type Reason = Pick<UnitReading, 'reason' | 'reasonCode'>

function reasonOf({ state, reason, reasonCode: said, rejected }: ReadResult<RowsOrColumns>): Reason {
  const reasonCode = reason === undefined ? undefined : (said ?? codes[state])
  if (rejected.length === 0) return { reason, reasonCode }
  const rows = unparsed(rejected.length)
  return { reason: reason === undefined ? rows : `${rows}; ${reason}`, reasonCode: graver('unparsed', reasonCode) }
}

const codes = {
  complete: 'incomplete',
  growing: 'growing',
  unverified: 'incomplete',
  unavailable: 'unavailable',
} as const

/**
 * A reading whose instant lies ahead of the upstream's clock claims no more than that clock allows. Its unit stays open
 * from there on, and a later reading continues it. An observation of an instant that has not come has no such part. It
 * throws, so that the unit is missing and is read when its instant comes.
 */
function asShown(source: PlannedSource, unit: Unit, reading: UnitReading, shownAt: Micros | null): UnitReading {
  if (shownAt === null || !isAhead(reading.checkedAt, shownAt)) return reading
  const { from, to, state } = reading
  if (source.unit === 'observation' && isAhead(from, shownAt))
    throw new Error(`observation of ${isoMicros(from)}: ${notCome}; expected an instant that has come`)
  const present = { ...withReason(reading, apart, 'clock'), checkedAt: shownAt }
  const watermark = watermarkAt(source, shownAt)
  // The end of blocks is of the chain's clock.
  if (hasOwnWatermark(source) || hasEnded(unit, watermark)) return present
  const end = Math.max(from, Math.min(to ?? Infinity, watermark.head))
  return { ...present, to: end, state: state === 'done' ? 'head' : state }
}

const notCome = "more than ten minutes ahead of the upstream's clock"

/** Which of the two is right is unknown. */
const apart = 'clocks of this machine and of the upstream: more than ten minutes apart; expected the same time'
