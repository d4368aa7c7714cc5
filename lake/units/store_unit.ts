import { isDeepStrictEqual } from 'node:util'

import type { Commit } from '#lake/catalog/catalog.ts'
import { commitUnits, deleteUnnamed, type NewFile, storedPath, type UnitCommit } from '#lake/catalog/commit_units.ts'
import { toCoverageRow, unitMetadata } from '#lake/catalog/coverage_rows.ts'
import {
  datasets,
  quarantine,
  type Coverage,
  type Dataset,
  type DatasetName,
  type Quarantined,
} from '#lake/datasets/index.ts'
import { WorldMismatch, type Lake } from '#lake/lake.ts'
import type { Gap, ReasonCode } from '#lake/reasons.ts'
import type { Micros } from '#time.ts'

import { rowCount, type UnitRows } from './column_batch.ts'
import { storedCoverage } from './stored_unit.ts'
import { dataPath, spanOf, unitPath, type Unit } from './unit.ts'
import { writeRows } from './write_rows.ts'

/** The contents of a unit, ready to be stored. */
export type UnitContents = {
  /** Rows for each dataset of the source, including empty ones. */
  rows: Partial<Record<DatasetName, UnitRows>>
  /**
   * The upstream's rows that were read, with rejected ones, of datasets that do not store each of them; null: unknown.
   */
  n_read?: Partial<Record<DatasetName, number | null>> | undefined
  /** The rejected rows of datasets of which `rejected` has not all; null: unknown. */
  n_rejected?: Partial<Record<DatasetName, number | null>> | undefined
  rejected: readonly { dataset: DatasetName; reason: string; path?: string; body: unknown }[]
  precedence: number
  state: 'done' | 'head' | 'quarantined' | 'unverified' | 'unavailable'
  /** The exclusive end of the rows, an instant or a block; null: the end of time. */
  to: number | null
  proof?: string | undefined
  reason?: string | undefined
  /** By default that of `state`. */
  reasonCode?: ReasonCode | undefined
  gaps?: readonly Gap[] | undefined
  /** What a source keeps for the next reading, as JSON. */
  resume?: string | undefined
  upstreamAt?: Micros | undefined
  asked: string[]
  checkedAt: Micros
  inCommit?: UnitCommit['inCommit']
}

export type StoreResult = { n_rows: number; n_quarantined: number; bytes: number }

/**
 * Stores a unit: its data files first, then one commit of its rows of all datasets, its rejected rows and its coverage.
 * The name of a file follows from the unit and its rows, so a repetition, also after a crash, leaves the same lake.
 */
export async function storeUnit(lake: Lake, unit: Unit, contents: UnitContents): Promise<StoreResult> {
  const id = unitPath(unit)
  const names = Object.keys(contents.rows) as DatasetName[]
  const entries = names.map((name) => entryOf(unit, name, contents, rowCount(contents.rows[name] ?? [])))
  const rejected = quarantined(unit, contents)
  const world = (await lake.world()) ?? 'real'
  const metadata = unitMetadata(world, entries)
  const filled: [Dataset, UnitRows][] = [
    ...names.map((name): [Dataset, UnitRows] => [datasets[name], contents.rows[name] ?? []]),
    [quarantine, rejected],
  ]
  const withRows = filled.filter(([, rows]) => rowCount(rows) > 0)
  // A unit without rows has one file without rows, whose metadata holds its coverage.
  const files: NewFile[] = []
  for (const [dataset, rows] of withRows.length > 0 ? withRows : filled.slice(0, 1)) {
    const { body, ...written } = await writeRows(lake.writer, lake.scratch, dataset, {
      rows,
      source: unit.source,
      metadata,
    })
    const path = dataPath(unit, written.digest)
    await lake.storage.put(storedPath({ dataset: dataset.name, path }), body)
    const { n_rows } = written
    files.push({ ...written, dataset: dataset.name, path, source: unit.source, units: [{ unit: id, n_rows }] })
  }
  const digests = new Map(files.map(({ dataset, digest }) => [dataset, digest]))
  const coverage = entries.map((entry) =>
    toCoverageRow({ ...entry, digest: entry.n_rows > 0 ? (digests.get(entry.dataset) ?? null) : null }),
  )
  const inCommit = async (commit: Commit): Promise<void> => {
    await assertWorld(commit, world)
    await contents.inCommit?.(commit)
  }
  const spare = await commitUnits(lake.catalog, { units: [id], files, coverage, inCommit })
  if (spare.length > 0) await deleteUnnamed(lake.catalog, lake.storage, spare)
  // Vacuum may have removed a former file of the same name, which no snapshot named, just before the commit.
  for (const file of files) {
    const isGone = !spare.includes(file) && !(await lake.storage.has(storedPath(file)))
    if (isGone) return storeUnit(lake, unit, contents)
  }
  return {
    n_rows: entries.reduce((sum, { n_rows }) => sum + n_rows, 0),
    n_quarantined: rejected.length,
    bytes: files.reduce((sum, { n_rows, bytes }) => sum + (n_rows > 0 ? bytes : 0), 0),
  }
}

/** Throws if an empty lake was claimed for another world since. */
async function assertWorld({ tx }: Commit, world: string): Promise<void> {
  const stored = await tx.selectFrom('tapeline_metadata').select('value').where('key', '=', 'world').executeTakeFirst()
  if (stored !== undefined && stored.value !== world) throw new WorldMismatch(stored.value, world)
}

/** Records that reading a unit failed. Its stored rows stay. */
export async function storeFailure(
  lake: Lake,
  unit: Unit,
  failure: { datasets: readonly DatasetName[]; precedence: number; reason: string; asked: string[]; checkedAt: Micros },
): Promise<void> {
  // A unit that was read before keeps its coverage.
  if (!(await storedCoverage(lake, unit)).every(({ state }) => state === 'missing')) return
  const coverage = failure.datasets.map((name) =>
    toCoverageRow({
      ...entryOf(unit, name, { ...failure, state: 'head', to: unit.to, rows: {}, rejected: [] }, 0),
      state: 'missing',
      reason_code: 'failed',
      n_read: null,
      n_rejected: null,
    }),
  )
  await commitUnits(lake.catalog, { units: [unitPath(unit)], coverage })
}

/** Records that a reading was refused. The stored rows stay, with their state and proof. */
export async function storeRefusal(
  { catalog }: Lake,
  unit: Unit,
  { reason, gaps }: { reason: string; gaps: readonly Gap[] },
): Promise<void> {
  const id = unitPath(unit)
  const entries = catalog.db.selectFrom('tapeline_coverage').selectAll().where('unit', '=', id)
  const stored = (await entries.where('end_snapshot', 'is', null).execute()).map(
    ({ begin_snapshot: _, end_snapshot: __, ...row }) => row,
  )
  const refused = { reason, reason_code: 'refused' satisfies ReasonCode }
  const noted = gaps.length === 0 ? {} : { gaps: JSON.stringify(gaps) }
  const coverage = stored.map((row) => ({ ...row, ...refused, ...noted }))
  if (!isDeepStrictEqual(coverage, stored)) await commitUnits(catalog, { units: [id], coverage })
}

const entryOf = (unit: Unit, name: DatasetName, contents: UnitContents, n_rows: number): Coverage => ({
  dataset: name,
  unit: unitPath(unit),
  part: unit.part,
  key: unit.key,
  precedence: contents.precedence,
  state: contents.state,
  ...spanColumns(unit, contents.to),
  n_rows,
  n_read: readOf(contents, name, n_rows),
  n_rejected: rejectedOf(contents, name),
  digest: null,
  asked: contents.asked,
  verified: [],
  proof: contents.proof ?? null,
  reason: contents.reason ?? null,
  reason_code: contents.reason === undefined ? null : (contents.reasonCode ?? codeOf(contents.state)),
  gaps: contents.gaps === undefined || contents.gaps.length === 0 ? null : JSON.stringify(contents.gaps),
  resume: contents.resume ?? null,
  upstream_at: contents.upstreamAt ?? null,
  checked_at: contents.checkedAt,
  source: unit.source,
})

/** The code of a reading whose source says no more than its state. */
function codeOf(state: UnitContents['state']): ReasonCode {
  if (state === 'unavailable') return 'unavailable'
  if (state === 'quarantined') return 'unparsed'
  return state === 'unverified' ? 'incomplete' : 'growing'
}

function readOf(contents: UnitContents, name: DatasetName, n_rows: number): number | null {
  const { [name]: said } = contents.n_read ?? {}
  if (said !== undefined) return said
  return n_rows + (rejectedOf(contents, name) ?? contents.rejected.filter(({ dataset }) => dataset === name).length)
}

function rejectedOf({ n_rejected = {}, rejected }: UnitContents, name: DatasetName): number | null {
  const { [name]: said = rejected.filter(({ dataset }) => dataset === name).length } = n_rejected
  return said
}

/** The columns of the span of a unit that reaches to `to`. */
const spanColumns = ({ kind, from }: Unit, to: number | null) =>
  spanOf(kind) === 'blocks'
    ? { from_at: null, to_at: null, from_block: from, to_block: to }
    : { from_at: from, to_at: to, from_block: null, to_block: null }

const quarantined = (unit: Unit, { rejected }: UnitContents): Omit<Quarantined, 'source'>[] =>
  rejected.map(({ dataset, reason, path, body }, ordinal) => ({
    dataset,
    unit: unitPath(unit),
    ordinal,
    ts: null,
    reason,
    path: path ?? null,
    body: typeof body === 'string' ? body : (JSON.stringify(body, withoutBigints) ?? String(body)),
  }))

/** A row that parsed has its amounts as bigints, which JSON does not have. */
const withoutBigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
