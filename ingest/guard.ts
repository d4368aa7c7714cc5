import { datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import type { Gap } from '#lake/reasons.ts'
import { rowCount } from '#lake/units/column_batch.ts'
import { compareRows, isDescription, type Loss } from '#lake/units/compare_rows.ts'
import { withRows } from '#lake/units/spilled_rows.ts'
import type { StoredEntry } from '#lake/units/stored_unit.ts'
import type { Unit, UnitKind } from '#lake/units/unit.ts'
import { HOUR, type Micros } from '#time.ts'

import { isUnverified, type UnitReading } from './read.ts'
import { storedEntries } from './stored_rows.ts'

/** A reading that lacks stored facts without a proof. The stored rows stay, and its unit says what is lacking. */
export class Refused extends Error {
  override name = 'Refused'
  readonly gaps: readonly Gap[]
  constructor(problem: string, reason: string | undefined, gaps: readonly Gap[] = []) {
    super(`${problem}; the stored rows stay${reason === undefined ? '' : `: ${reason}`}`)
    this.gaps = gaps
  }
}

/** A reading beside what is stored of its unit. `parsed` are the rows of the upstream that parsed, stored or not. */
export type Comparison = Omit<Loss, 'rows'> & { parsed: { n_stored: number; n_new: number } }

export type Judged = {
  kind: UnitKind
  /** Whether the stored reading has a proof, and whether nothing can follow it. */
  wasProved: boolean
  wasDone: boolean
  /** The state of the new reading. */
  state: UnitReading['state']
  comparisons: readonly Comparison[]
  /** Whether an earlier reading has lacked the same rows, and since when. */
  isConfirmed: boolean
}

/**
 * `replace`: the reading takes the place of the stored one. `merge`: so it does, with the stored rows that it lacks.
 * `keep`: the stored reading stays, for the problem.
 */
export type Verdict = { act: 'replace' | 'merge' } | { act: 'keep'; problem: string; isSmall: boolean }

/** The known rows that may be missing from a list: a venue removes single ones. More show a list that was cut short. */
export const mostMissing = (n_before: number): number => Math.max(5, 0.05 * n_before)

/** The share of stored events that an upstream may remove, such as reverted trades, if two readings agree. */
const removedShare = 0.01
/** The least time between two readings of which the second proves that rows were removed. */
export const confirmedAfter: Micros = HOUR

/**
 * Decides what a reading does to the stored rows of its unit. It is the only rule, for all kinds of units, refreshes and
 * repeated readings of an instant included. What proves that rows are gone:
 *
 *  - `blocks`: the proof of the reading, since each block names the one before it. A fork replaces blocks.
 *  - Lists of what is open now (`observation`), and descriptions of things: nothing. A row that a later list lacks was
 *    true at its instant and is carried over. A list that lost more than single rows is refused.
 *  - Events of a history or an hour, such as trades: a second proved reading an hour later that lacks the same rows, at
 *    most one percent. A repetition of a row that is still listed goes with a proved reading if the stored one had no
 *    proof. A deletion of a post is a tombstone, which its platform states.
 *  - All: the word of the operator, `backfill --refresh --accept-loss`, with a complete reading.
 */
export function judge(judged: Judged): Verdict {
  const { kind, wasProved, state, comparisons, isConfirmed } = judged
  const isProved = state === 'done' || state === 'head'
  if (kind === 'blocks' && (isProved || !wasProved)) return { act: 'replace' }
  const isWorse = wasProved && !isProved && !addsFacts(judged)
  const problems = comparisons.flatMap((loss) => {
    const problem =
      kind === 'observation'
        ? listProblem(loss, { n_missing: loss.parsed.n_stored - loss.parsed.n_new, isExact: !isProved })
        : isDescription(datasets[loss.dataset])
          ? listProblem(loss, { n_missing: loss.n_lost, isExact: true })
          : eventProblem(loss, { isForgiven: isProved && !wasProved })
    return problem === null ? [] : [problem]
  })
  if (problems.length === 0 && isWorse) return { act: 'keep', problem: 'it has no proof', isSmall: false }
  if (problems.length === 0) {
    const isLacking = comparisons.some(({ n_lost, n_later }) => n_lost + n_later > 0)
    return { act: isLacking ? 'merge' : 'replace' }
  }
  const isSmall = isProved && problems.every((problem) => problem.share <= removedShare)
  if (isSmall && isConfirmed) return { act: 'replace' }
  return { act: 'keep', problem: problems.map(({ text }) => text).join(', '), isSmall }
}

/**
 * Whether a reading without a proof has something that the proved one lacks: other rows, or rows that did not parse
 * beside all stored ones. A list of the same instant has nothing to add.
 */
function addsFacts({ kind, wasDone, state, comparisons }: Judged): boolean {
  const isLacking = comparisons.some(({ n_lost }) => n_lost > 0)
  if (kind === 'observation') return false
  if (state === 'quarantined') return !isLacking
  // An open hour may end without a proof, such as one of a market without a resolution.
  if (kind === 'hour' && !wasDone) return !isLacking
  return comparisons.some(
    ({ n_stored, n_new, n_lost, n_later, n_repeated }) => n_new > n_stored - n_lost - n_later - n_repeated,
  )
}

type Problem = { text: string; share: number }

/** Of an observation single values may get lost, but no column. Of other descriptions none, unless it is confirmed. */
function listProblem(
  loss: Comparison,
  { n_missing, isExact }: { n_missing: number; isExact: boolean },
): Problem | null {
  if (n_missing > mostMissing(loss.parsed.n_stored))
    return { text: became(loss, loss.parsed.n_stored, loss.parsed.n_new), share: 1 }
  const isGrave = ({ n_stored, n_lost }: Loss['values'][number]): boolean =>
    n_lost > mostMissing(n_stored) || (n_lost === n_stored && n_lost >= 3)
  const column = loss.values.find(isGrave) ?? (isExact ? loss.values[0] : undefined)
  return column === undefined ? null : { text: emptied(loss, column), share: isGrave(column) ? 1 : 0 }
}

function eventProblem(loss: Comparison, { isForgiven }: { isForgiven: boolean }): Problem | null {
  const n_rows = loss.n_lost + (isForgiven ? 0 : loss.n_repeated)
  const share = n_rows / Math.max(1, loss.n_stored)
  if (n_rows > 0 && loss.n_new < loss.n_stored) return { text: became(loss, loss.n_stored, loss.n_new), share }
  if (n_rows > 0) return { text: `${loss.dataset}: ${n_rows} of ${loss.n_stored} rows are missing`, share }
  const [column] = loss.values
  return column === undefined ? null : { text: emptied(loss, column), share: column.n_lost / column.n_stored }
}

const became = ({ dataset }: Comparison, n_before: number, n_after: number): string =>
  `${dataset}: ${n_before} rows became ${n_after}`

const emptied = ({ dataset }: Comparison, { column, n_stored, n_lost }: Loss['values'][number]): string =>
  `${dataset}: ${n_stored} values of ${column} became ${n_stored - n_lost}`

/**
 * The reading as it may replace what is stored: as it is, or with the stored rows that it lacks. Throws `Refused` if the
 * stored reading stays.
 */
export async function guard(lake: Lake, unit: Unit, reading: UnitReading): Promise<UnitReading> {
  const entries = await storedEntries(lake, unit)
  if (entries.length === 0) return reading
  if (reading.state === 'unavailable') throw new Refused('unit: unavailable upstream, but stored', reading.reason)
  // The proof of blocks is of the chain itself. They are too many to compare each time.
  if (!isUnverified(reading) && (unit.kind === 'blocks' || unit.acceptLoss === true)) return reading
  const compared = await compareAll(lake, unit, { reading, entries })
  const subject = subjectOf(compared)
  const firstAt = firstLackedAt(entries, subject)
  const verdict = judge({
    kind: unit.kind,
    wasProved: entries.every(({ state }) => state === 'done' || state === 'head'),
    wasDone: entries.every(({ state }) => state === 'done'),
    state: reading.state,
    comparisons: compared,
    isConfirmed: firstAt !== null && reading.checkedAt - firstAt >= confirmedAfter,
  })
  if (verdict.act === 'keep') {
    const { problem, isSmall } = verdict
    throw new Refused(
      problem,
      reading.reason,
      isSmall ? [{ text: problem, subject, to: firstAt ?? reading.checkedAt }] : [],
    )
  }
  return verdict.act === 'merge' ? merged(reading, compared) : reading
}

type Compared = Comparison & Pick<Loss, 'rows'>

async function compareAll(
  lake: Lake,
  unit: Unit,
  { reading, entries }: { reading: UnitReading; entries: readonly StoredEntry[] },
): Promise<Compared[]> {
  const compared: Compared[] = []
  const end = unit.kind === 'history' || unit.kind === 'hour' ? reading.to : null
  for (const { dataset, n_rows, n_read, n_rejected } of entries) {
    const rows = reading.rows[dataset] ?? []
    const parsed = {
      n_stored: n_read === null ? n_rows : n_read - (n_rejected ?? 0),
      n_new:
        (reading.n_read?.[dataset] ?? rowCount(rows)) -
        (reading.n_read?.[dataset] === undefined ? 0 : nRejected(reading, dataset)),
    }
    const loss = n_rows === 0 ? noLoss(dataset, rowCount(rows)) : await compareRows(lake, unit, { dataset, rows, end })
    compared.push({ ...loss, parsed })
  }
  return compared
}

const nRejected = ({ rejected }: UnitReading, name: string): number =>
  rejected.filter(({ dataset }) => dataset === name).length

const noLoss = (dataset: Loss['dataset'], n_new: number): Loss => ({
  dataset,
  n_stored: 0,
  n_new,
  n_lost: 0,
  n_repeated: 0,
  n_later: 0,
  values: [],
  rows: async () => [],
})

/** What a reading lacks, in numbers by which a second reading is compared with it. */
const subjectOf = (compared: readonly Comparison[]): string =>
  `refused ${compared
    .map(({ dataset, n_stored, n_lost, n_repeated, values }) =>
      [dataset, n_stored, n_lost, n_repeated, ...values.map(({ column, n_lost: n }) => `${column}=${n}`)].join(' '),
    )
    .join(', ')}`

/** The instant of the first reading in a row that lacked the same; null without one. */
const firstLackedAt = (entries: readonly StoredEntry[], subject: string): Micros | null =>
  entries.flatMap(({ gaps }) => gaps).find((gap) => gap.subject === subject)?.to ?? null

async function merged(reading: UnitReading, compared: readonly Compared[]): Promise<UnitReading> {
  const rows = { ...reading.rows }
  for (const { dataset, n_lost, n_later, rows: lost } of compared) {
    if (n_lost + n_later > 0) rows[dataset] = await withRows(dataset, rows[dataset] ?? [], await lost())
  }
  return { ...reading, rows }
}
