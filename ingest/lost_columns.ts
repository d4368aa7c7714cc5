import { datasets, type DatasetName } from '#lake/datasets/index.ts'

type Row = Readonly<Record<string, unknown>>

/** Fewer rows may lack a value by chance: of a first reading, and of rows that had it before. */
const leastRows = 10
const leastKnown = 5
/** Columns of few values, each of which follows from a field of its own. */
const kinds = { status: ['resolved'], starts_by: ['gameStartTime', 'eventStartTime'] }

const isFilled = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0)

/**
 * The columns that had values in the last rows of these markets, and have none in a new reading: their fields were
 * renamed, dropped or emptied upstream. Some values count as a column of their own. Markets close at any time, so one
 * that is open yet is enough; of other columns half of the rows keep their value.
 */
export function lostColumns(dataset: DatasetName, rows: readonly Row[], last: ReadonlyMap<string, Row>): string[] {
  const lost = openLost(dataset)
  lost.add(rows, last)
  return lost.columns()
}

/** The same for rows that come in parts. */
export function openLost(dataset: DatasetName) {
  const names = Object.keys(datasets[dataset].columns).filter((name) => name !== 'source')
  const columns = names.map((name) => ({
    name,
    share: name === 'is_open' ? 0 : 0.5,
    isIn: (row: Row): boolean => isFilled(row[name]),
  }))
  const values = Object.entries(kinds).flatMap(([name, kindValues]) =>
    kindValues.map((value) => ({
      name: `${name} ${value}`,
      share: 0,
      isIn: (row: Row): boolean => row[name] === value,
    })),
  )
  const counts = [...columns, ...values].map((counter) => ({ ...counter, had: 0, has: 0 }))
  return {
    add: (rows: readonly Row[], last: ReadonlyMap<string, Row>): void => {
      for (const row of rows) {
        const before = last.get(String(row['market_id']))
        if (before === undefined) continue
        for (const count of counts) {
          if (!count.isIn(before)) continue
          count.had += 1
          if (count.isIn(row)) count.has += 1
        }
      }
    },
    columns: (): string[] =>
      counts.filter(({ had, has, share }) => had >= leastKnown && has <= share * had).map(({ name }) => name),
  }
}

/** The fields that no row of a list of at least ten has, although the upstream fills them in practice. */
export function absentFields<Name extends string>(
  rows: readonly Readonly<Record<Name, unknown>>[],
  names: readonly Name[],
): Name[] {
  const filled = openFilled(names)
  filled.add(rows)
  return filled.absent()
}

/** The same for rows that come in parts, of at least so many in all. */
export function openFilled<Name extends string>(names: readonly Name[], least = leastRows) {
  const left = new Set(names)
  let n_rows = 0
  return {
    add: (rows: readonly Readonly<Record<Name, unknown>>[]): void => {
      n_rows += rows.length
      for (const name of left) if (rows.some((row) => isFilled(row[name]))) left.delete(name)
    },
    absent: (): Name[] => (n_rows < least ? [] : [...left]),
  }
}

/** Throws if a reading of a changing list lost columns. It must not be stored, since it cannot be read again. */
export function assertNoneLost(path: string, lost: readonly string[]): void {
  if (lost.length > 0)
    throw new Error(`${path}: no row has ${lost.join(', ')}; expected values, as in earlier readings`)
}
