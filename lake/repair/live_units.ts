import { datasets, quarantine, type Dataset } from '#lake/datasets/index.ts'

import type { FoundEntry, FoundFile } from './found_files.ts'

/** The newest whole reading of a unit: its coverage, and the file of its rows in each dataset. */
export type LiveUnit = {
  entries: FoundEntry[]
  storedAt: number
  files: Map<string, FoundFile>
  /** Whether a file of it is lost, and no reading of the unit is whole. Its rows count until it is read again. */
  isPart: boolean
}

/** The part of a file's metadata that makes files belong to one reading of a unit. */
const readingOf = (entries: readonly FoundEntry[]): string =>
  JSON.stringify(entries.map(({ digest: _, ...entry }) => entry).toSorted((a, b) => (a.dataset < b.dataset ? -1 : 1)))

/**
 * Finds the newest reading of each unit whose files are all there, else the newest one. A writer that was killed leaves
 * a part of one, and vacuum keeps former ones. All files of a reading hold the same coverage of the unit.
 */
export function liveUnits(files: readonly FoundFile[]): Map<string, LiveUnit> {
  const readings = new Map<string, Map<string, LiveUnit>>()
  for (const file of files.toSorted((a, b) => a.storedAt - b.storedAt)) {
    const byUnit = new Map<string, FoundEntry[]>()
    for (const entry of file.entries) byUnit.set(entry.unit, [...(byUnit.get(entry.unit) ?? []), entry])
    for (const { unit } of file.units) {
      const entries = byUnit.get(unit) ?? []
      const ofUnit = readings.get(unit) ?? new Map<string, LiveUnit>()
      const id = readingOf(entries)
      const reading = ofUnit.get(id) ?? newReading(entries)
      reading.files.set(file.dataset, file)
      // A merged file knows the digests of the files that it replaced.
      if (entries.some(({ digest }) => digest !== null)) reading.entries = entries
      reading.storedAt = file.storedAt
      readings.set(unit, ofUnit.set(id, reading))
    }
  }
  const live = new Map<string, LiveUnit>()
  for (const [unit, ofUnit] of readings) {
    const newestFirst = [...ofUnit.values()].toSorted((a, b) => b.storedAt - a.storedAt)
    const newest = newestFirst.find((reading) => isWhole(reading)) ?? newestFirst.find(isWholeButDropped)
    const [part] = newestFirst
    if (newest !== undefined) live.set(unit, newest)
    else if (part !== undefined) live.set(unit, { ...part, isPart: true })
  }
  return live
}

const newReading = (entries: FoundEntry[]): LiveUnit => ({ entries, storedAt: 0, files: new Map(), isPart: false })

const isWhole = ({ entries, files }: LiveUnit): boolean =>
  entries.every(({ dataset, n_rows }) => n_rows === 0 || files.has(dataset)) &&
  (files.has(quarantine.name) || !entries.some(({ state }) => state === 'quarantined'))

/** Rows with a retention were dropped since, and rejected rows with them. */
const isWholeButDropped = ({ entries, files }: LiveUnit): boolean =>
  entries.some(({ dataset }) => isRetained(dataset)) &&
  entries.every(({ dataset, n_rows }) => n_rows === 0 || files.has(dataset) || isRetained(dataset))

const retained: ReadonlySet<string> = new Set(
  Object.values<Dataset>(datasets).flatMap(({ name, retention_s }) => (retention_s === undefined ? [] : [name])),
)

/** Whether the rows of a dataset are kept for a limited time. */
export const isRetained = (dataset: string): boolean => retained.has(dataset)
