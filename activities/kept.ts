import { z } from 'zod'

import type { Micros } from '#lake/columns.ts'
import { datasets, type DatasetName } from '#lake/datasets.ts'
import type { Lake } from '#lake/lake.ts'
import { isoMicros } from '#lake/store.ts'
import { storedCoverage, storedSelect, type StoredEntry } from '#lake/stored.ts'
import type { Unit } from '#lake/unit.ts'

import type { Reading } from './reading.ts'
import type { NewRow, StoredUnit } from './source.ts'
import { asWritten } from './written.ts'

type Row = Record<string, unknown>

/** A reading that is not proved to be whole. */
const isDoubtful = ({ state }: Reading): boolean => state !== 'done' && state !== 'head'

/**
 * A reading of a life with the rows that are stored from before its own: what an upstream shows slides (the newest
 * 10,000 rows, the last three years), and what has slid out of it is kept. A reading that is proved says all there is.
 */
export async function withOlder(lake: Lake, unit: Unit, reading: Reading): Promise<Reading> {
  if (unit.kind !== 'life' || reading.state === 'unavailable' || !isDoubtful(reading)) return reading
  const stored = await storedEntries(lake, unit)
  const isCutOff = reading.from > unit.from
  const edge = isCutOff ? reading.from : oldest(reading)
  const rows = { ...reading.rows }
  let n_older = 0
  for (const { dataset, n_rows } of stored) {
    const older = n_rows === 0 ? [] : await storedBefore(lake, unit, dataset, edge)
    rows[dataset] = [...older, ...(rows[dataset] ?? [])]
    n_older += older.length
  }
  if (n_older === 0) return reading
  // Rows from before a gap are kept; coverage begins after it.
  const reaching = stored.filter(({ to_at }) => to_at === null || to_at >= edge)
  const from = Math.min(reading.from, ...reaching.map(({ from_at }) => from_at ?? reading.from))
  const kept = `${n_older} older ${n_older === 1 ? 'row is' : 'rows are'} kept from an earlier reading`
  return { ...reading, rows, from, reason: reading.reason === undefined ? kept : `${reading.reason}; ${kept}` }
}

/** Throws where storing a reading that is not proved would take away what is stored. */
export async function assertKept(lake: Lake, unit: Unit, reading: Reading): Promise<void> {
  if (!isDoubtful(reading)) return
  const reason = reading.reason ?? 'no reason'
  for (const { dataset, n_rows, to_at } of await storedEntries(lake, unit)) {
    if (reading.state === 'unavailable') {
      throw new Error(`the upstream says that it does not have this unit, which is stored and kept: ${reason}`)
    }
    const rows = reading.rows[dataset] ?? []
    const n_known = rows.filter((row) => to_at === null || instantOf(dataset, row) < to_at).length
    // Of an hour less may be asked than before: its source keeps what it has of the rest.
    if (unit.kind !== 'life' || n_known >= n_rows) continue
    throw new Error(`of ${n_rows} stored ${dataset} this reading has ${n_known}, so they are kept: ${reason}`)
  }
}

/** How a unit stands; undefined where its upstream has told nothing of it so far. */
export async function storedUnit(lake: Lake, unit: Unit): Promise<StoredUnit | undefined> {
  const [entry] = await storedEntries(lake, unit)
  return entry && { state: entry.state, to: entry.to_at, reason: entry.reason }
}

/** The stored rows of a unit from before an instant, as its source wrote them. */
export async function storedRows<D extends DatasetName>(
  lake: Lake,
  unit: Unit,
  dataset: D,
  before: Micros,
): Promise<NewRow<D>[]> {
  const entries = await storedEntries(lake, unit)
  const entry = entries.find((one) => one.dataset === dataset)
  if (entry === undefined || entry.n_rows === 0) return []
  return (await storedBefore(lake, unit, dataset, before)) as NewRow<D>[]
}

/** The entries of a unit whose upstream has told something of it; none where it could not be read so far. */
const storedEntries = async (lake: Lake, unit: Unit): Promise<StoredEntry[]> =>
  (await storedCoverage(lake, unit)).filter(({ state }) => state !== 'missing' && state !== 'unavailable')

async function storedBefore(lake: Lake, unit: Unit, name: DatasetName, before: Micros): Promise<Row[]> {
  const dataset = datasets[name]
  const whole = Object.entries(dataset.columns).filter(([, { sql }]) => sql === 'TIMESTAMP' || sql === 'BIGINT')
  const stored = await storedSelect(lake, name, unit)
  const until = before === Infinity ? '' : `where "${instantName(name)}" < timestamp '${isoMicros(before)}'`
  const sql = `select ${asWritten(dataset)} from ${stored} ${until}`
  const rows = await lake.read(({ query }) => query(sql, z.record(z.string(), z.unknown())))
  // DuckDB hands on 64 bits as a bigint, which among sources is a number of millionths.
  for (const row of rows) {
    for (const [column] of whole) if (typeof row[column] === 'bigint') row[column] = Number(row[column])
  }
  return rows
}

const instantName = (name: DatasetName): 'ts' | 'seen_at' => ('ts' in datasets[name].columns ? 'ts' : 'seen_at')
const instantOf = (name: DatasetName, row: Row): Micros => Number(row[instantName(name)])

const oldest = ({ rows }: Reading): Micros => {
  let least = Infinity
  for (const name of Object.keys(rows) as DatasetName[]) {
    for (const row of rows[name] ?? []) least = Math.min(least, instantOf(name, row))
  }
  return least
}
