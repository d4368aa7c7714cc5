import { z } from 'zod'

import { unparsed } from '#ingest/parse/rows.ts'
import type { RejectedRow, Rows, StreamEvent, StreamSource } from '#ingest/source.ts'
import { storedEntries, storedRows } from '#ingest/stored_rows.ts'
import { unitOf } from '#ingest/units.ts'
import { datasets, type DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import type { Gap } from '#lake/reasons.ts'
import type { UnitContents } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { HOUR, gridInstant, isoMicros, type Micros } from '#time.ts'

/** An hour of a stream with all its rows, also stored rows. */
export type OpenHour = {
  unit: Unit
  /** The start of the followed part. */
  from: Micros
  /** By dataset and key, so that a repeated row is held once. */
  rows: Map<DatasetName, Map<string, Record<string, unknown>>>
  rejected: Map<string, RejectedRow>
  /** The rejected rows of each dataset, also those that are not held. */
  n_rejected: Map<DatasetName, number>
  /** Why it is not complete, with the ends of the gaps, by their text. */
  gaps: Map<string, Gap>
  isChanged: boolean
  /** The last instant of the sealing source by which its rows were compared. */
  comparedAt?: Micros
}

/** A venue that changes its shapes would otherwise fill the memory with messages. */
const MOST_REJECTED = 1_000

export const hourOf = (at: Micros): Micros => gridInstant(at, 3_600)

/** The unit of an hour. */
export const unitAt = ({ name, unit }: Pick<StreamSource, 'name' | 'unit'>, part: string, hour: Micros): Unit =>
  unitOf({ name, unit, part }, { from: hour, to: hour + HOUR })

/** Opens an hour with its stored rows. Without stored rows it is empty and followed from `from` on. */
export async function openHour(
  lake: Lake,
  source: StreamSource,
  { part, hour, from }: { part: string; hour: Micros; from: Micros },
): Promise<OpenHour> {
  const unit = unitAt(source, part, hour)
  const open: OpenHour = {
    unit,
    from,
    rows: new Map(source.datasets.map((name) => [name, new Map()])),
    rejected: new Map(),
    n_rejected: new Map(),
    gaps: new Map(),
    isChanged: true,
  }
  const entries = await storedEntries(lake, unit)
  for (const entry of entries) {
    open.from = entry.from ?? hour
    for (const gap of entry.gaps) open.gaps.set(gap.text, gap)
    for (const row of await storedRows(lake, unit, entry.dataset, Infinity)) addRow(open, entry.dataset, row, true)
  }
  for (const row of entries.length === 0 ? [] : await storedRejected(lake, source, unit)) addRejected(open, row)
  for (const { dataset, n_rejected } of entries)
    open.n_rejected.set(dataset, Math.max(n_rejected ?? 0, open.n_rejected.get(dataset) ?? 0))
  open.isChanged = entries.length === 0
  return open
}

const rejectedShape = z.object({
  dataset: z.enum(Object.keys(datasets) as [DatasetName, ...DatasetName[]]),
  reason: z.string(),
  path: z.string().nullable(),
  body: z.string(),
})

const storedRejected = async (lake: Lake, { name }: StreamSource, unit: Unit) =>
  lake.read(({ query }) =>
    query(
      `select dataset, reason, path, body from lake.quarantine
       where source = $source and unit = $unit order by ordinal`,
      rejectedShape,
      { source: name, unit: unitPath(unit) },
      { quarantine: [unitPath(unit)] },
    ),
  )

/** Adds an event to its hour. A repeated row replaces the former one, or completes it. */
export function addEvent(hour: OpenHour, { rows, rejected = [] }: StreamEvent, replaces: boolean): void {
  // An event without rows also changes the hour, which now reaches further.
  hour.isChanged = true
  for (const name of Object.keys(rows) as DatasetName[]) {
    for (const row of rows[name] ?? []) addRow(hour, name, row, replaces)
  }
  for (const row of rejected) addRejected(hour, row)
}

export function addGap(hour: OpenHour, gap: Gap): void {
  hour.isChanged = true
  hour.gaps.set(gap.text, gap)
}

function addRow(hour: OpenHour, name: DatasetName, row: Record<string, unknown>, replaces: boolean): void {
  const key = datasets[name].key.map((column) => String(row[column])).join('\u0000')
  const rows = hour.rows.get(name)
  const before = rows?.get(key)
  // A repeated row may know less than the first one, such as a role.
  const merged =
    before === undefined || replaces
      ? row
      : { ...before, ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) }
  rows?.set(key, merged)
}

function addRejected(
  hour: OpenHour,
  { dataset, reason, path, body }: Omit<RejectedRow, 'path'> & { path?: string | null },
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const key = `${dataset} ${text}`
  if (!hour.rejected.has(key)) hour.n_rejected.set(dataset, (hour.n_rejected.get(dataset) ?? 0) + 1)
  if (hour.rejected.size < MOST_REJECTED)
    hour.rejected.set(key, { dataset, reason, body: text, ...(path ? { path } : {}) })
}

/** The instant of a row. */
export const instantOf = (row: Record<string, unknown>): Micros => Number(row['ts'] ?? row['seen_at'])

export const rowCount = ({ rows }: OpenHour): number => [...rows.values()].reduce((sum, held) => sum + held.size, 0)

/** The moment of a store: the latest instant of the stream, and that since which messages are missed. */
type Moment = { at: Micros; isClosed: boolean; silentFrom: Micros | null; checkedAt: Micros }

/** The stored form of an hour. `at` is the latest instant of the stream. More events of that instant may follow. */
export function contentsOf(
  source: StreamSource,
  { unit, from, rows, rejected, n_rejected, gaps }: OpenHour,
  { at, isClosed, silentFrom, checkedAt }: Moment,
): UnitContents {
  const refused = rejected.size === 0 ? [] : [unparsed(rejected.size, MOST_REJECTED)]
  const isUnsealed = source.sealedBy !== undefined && from !== unit.to
  const unsealed = isUnsealed ? [`provisional until ${source.sealedBy?.name} has the hour`] : []
  const isSilent = isUnsealed && silentFrom !== null && !isClosed
  const silence = isSilent ? [`silent: nothing came since ${isoMicros(silentFrom)}`] : []
  const reasons = [...refused, ...unsealed, ...silence, ...gaps.keys()]
  const held: Rows = Object.fromEntries([...rows].map(([name, kept]) => [name, [...kept.values()]]))
  return {
    rows: source.complete?.(held) ?? held,
    rejected: [...rejected.values()],
    n_rejected: Object.fromEntries(n_rejected),
    precedence: source.precedence,
    state: rejected.size > 0 ? 'quarantined' : reasons.length > 0 ? 'unverified' : isClosed ? 'done' : 'head',
    // Provisional rows count at once, also those of the latest instant.
    to: isClosed ? unit.to : Math.min(source.sealedBy === undefined ? at : Math.max(at + 1, from), unit.to ?? at),
    proof: reasons.length > 0 ? undefined : (sealOf(source) ?? 'every message by its cursor, without a gap'),
    reason: reasons.length === 0 ? undefined : reasons.join('; '),
    reasonCode: gaps.size > 0 ? 'gap' : isSilent ? 'silent' : isUnsealed ? 'provisional' : 'unparsed',
    gaps: [...gaps.values()],
    upstreamAt: at,
    asked: [],
    checkedAt,
  }
}

const sealOf = ({ sealedBy }: StreamSource): string | undefined =>
  sealedBy === undefined ? undefined : `sealed by ${sealedBy.name}, which has the rows`

/** Whether an hour can be closed at an instant of the stream. */
export const isOver = ({ settle_s }: StreamSource, { unit }: OpenHour, at: Micros): boolean =>
  unit.to !== null && unit.to + settle_s * 1_000_000 <= at
