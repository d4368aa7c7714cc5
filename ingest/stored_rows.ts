import { z } from 'zod'

import { datasets, type DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { readRaw } from '#lake/units/raw_responses.ts'
import { toSourceValues, withNumbers, type StoredValues } from '#lake/units/source_values.ts'
import { instantName } from '#lake/units/spilled_rows.ts'
import { storedCoverage, type StoredEntry, storedSelect } from '#lake/units/stored_unit.ts'
import { rawPath, type Unit } from '#lake/units/unit.ts'
import { type Micros, isoMicros } from '#time.ts'

import type { StoredUnit, NewRow } from './source.ts'

/**
 * The state of a unit as of an instant; undefined before its first successful reading. A reading of a later instant is
 * none: a clock that was ahead claimed its end, from which no reading continues.
 */
export async function storedUnit(lake: Lake, unit: Unit, at: Micros): Promise<StoredUnit | undefined> {
  const [entry] = (await storedEntries(lake, unit)).filter(({ checked_at }) => checked_at <= at)
  return entry && { state: entry.state, to: entry.to, reason: entry.reason }
}

/** The stored rows of a unit from before an instant, as its source wrote them. */
export async function storedRows<D extends DatasetName>(
  lake: Lake,
  unit: Unit,
  dataset: D,
  before: Micros,
): Promise<NewRow<D>[]> {
  const entries = await storedEntries(lake, unit)
  const entry = entries.find((candidate) => candidate.dataset === dataset)
  if (entry === undefined || entry.n_rows === 0) return []
  return (await storedBefore(lake, unit, dataset, before)) as NewRow<D>[]
}

/** The raw bodies of the stored reading of a unit; empty if none are kept. */
export async function storedBodies(lake: Lake, unit: Unit): Promise<string[]> {
  const path = rawPath(unit)
  if (!(await lake.storage.has(path))) return []
  return (await readRaw(lake, path)).replies.map(({ body }) => body)
}

/** The coverage entries of a unit; empty before its first successful reading. */
export const storedEntries = async (lake: Lake, unit: Unit): Promise<StoredEntry[]> =>
  (await storedCoverage(lake, unit)).filter(({ state }) => state !== 'missing' && state !== 'unavailable')

export async function storedBefore(lake: Lake, unit: Unit, name: DatasetName, before: Micros): Promise<StoredValues[]> {
  const dataset = datasets[name]
  const stored = await storedSelect(lake, name, unit)
  const until = before === Infinity ? '' : `where "${instantName(name)}" < timestamp '${isoMicros(before)}'`
  const sql = `select ${toSourceValues(dataset)} from ${stored} ${until}`
  return withNumbers(dataset, await lake.read(({ query }) => query(sql, z.record(z.string(), z.unknown()))))
}
