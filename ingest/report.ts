import type { StoreResult, UnitContents } from '#lake/units/store_unit.ts'
import { spanOf, unitPath, type Unit } from '#lake/units/unit.ts'

/**
 * The stored unit, or the reason of a failure. A failed unit gets the state `missing` and is read later. Of a refused
 * reading and of an `empty` unit nothing is stored.
 */
export type Outcome = Stored | { failure: string; isNotListed?: boolean; isRefused?: boolean } | 'empty'

/** Without a state nothing was stored, since the stored unit still holds. */
type Stored = StoreResult & { state?: UnitContents['state']; reason?: string | undefined }

/** The result of reading a unit. Instants are ISO 8601; a unit of blocks has the numbers of blocks. */
export type UnitReport = {
  source: string
  part: string
  unit: string
  from: string | number
  /** Exclusive; null: the end of time. */
  to: string | number | null
  /**
   * The state of the stored unit; `missing` after a failure, `refused` if a reading lacks stored rows, `unchanged` if the stored rows still hold, `empty` if the
   * upstream has no rows of a requested account.
   */
  outcome: string
  rows: number
  quarantined: number
  bytes: number
  /** The requests with their repetitions; null for a stream. */
  requests: number | null
  /** The time of the reading; null for a stream. */
  seconds: number | null
  /** The reason why the unit is not complete; null if it is. */
  reason: string | null
}

/** Takes the report of each unit that was read. */
export type UnitLog = { now_ms: () => number; write: (report: UnitReport) => void }

/** The columns of a report that follow from the unit. */
export function nameUnit(unit: Unit): Pick<UnitReport, 'source' | 'part' | 'unit' | 'from' | 'to'> {
  const { source, kind, part, from, to } = unit
  const shown = (at: number): string | number => (spanOf(kind) === 'blocks' ? at : new Date(at / 1_000).toISOString())
  return { source, part, unit: unitPath(unit), from: shown(from), to: to === null ? null : shown(to) }
}

/** The report of a unit that was read. */
export const reportOf = (unit: Unit, outcome: Outcome, cost: Pick<UnitReport, 'requests' | 'seconds'>): UnitReport => ({
  ...nameUnit(unit),
  ...figuresOf(outcome),
  ...cost,
})

type Figures = Pick<UnitReport, 'outcome' | 'rows' | 'quarantined' | 'bytes' | 'reason'>

const none = { rows: 0, quarantined: 0, bytes: 0, reason: null }

function figuresOf(outcome: Outcome): Figures {
  if (outcome === 'empty') return { ...none, outcome }
  if ('failure' in outcome)
    return { ...none, outcome: outcome.isRefused === true ? 'refused' : 'missing', reason: outcome.failure }
  const { state, reason = null, n_rows: rows, n_quarantined: quarantined, bytes } = outcome
  return { outcome: state ?? 'unchanged', rows, quarantined, bytes, reason }
}
