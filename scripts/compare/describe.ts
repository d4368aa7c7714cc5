import type { Evidence } from './evidence.ts'
import { hashesOf, openHome, pathsOf, type Home } from './home.ts'
import type { CoverageRow } from './lake.ts'
import type { Columns, Tables } from './tables.ts'

/** Two values, of the first and of the second commit. */
export type Both<T> = { before: T; after: T }

/** What two homes show. Rows are compared over the columns that both have; further columns are evidence themselves. */
export async function describeHomes(folders: Both<string>): Promise<Both<Omit<Evidence, 'commands' | 'answers'>>> {
  const homes = { before: await openHome(folders.before), after: await openHome(folders.after) }
  try {
    return {
      before: await describeHome(folders.before, homes.before, homes.after),
      after: await describeHome(folders.after, homes.after, homes.before),
    }
  } finally {
    homes.before.close()
    homes.after.close()
  }
}

async function describeHome(folder: string, home: Home, other: Home): Promise<Omit<Evidence, 'commands' | 'answers'>> {
  const covered = columnsOf([...home.lake.coverage.values()])
  const theirs = columnsOf([...other.lake.coverage.values()])
  return {
    ...pathsOf(home.files),
    coverage: new Map([...home.lake.coverage].map(([unit, row]) => [unit, textOf(row, theirs)])),
    rows: await hashesOfRows(home.rows, other.rows),
    columns: new Map([
      ...[...covered].map((name): [string, string] => [`coverage.${name}`, '']),
      ...[...home.analysts.columns].flatMap(([table, columns]) =>
        [...columns].map(([name, type]): [string, string] => [`${table}.${name}`, type]),
      ),
    ]),
    hashes: await hashesOf(folder, home.files),
    tables: await hashesOfRows(home.analysts, other.analysts),
  }
}

const columnsOf = (rows: readonly CoverageRow[]): Set<string> => new Set(rows.flatMap((row) => [...row.keys()]))

const textOf = (row: CoverageRow, columns: ReadonlySet<string>): string =>
  [...row].flatMap(([column, value]) => (columns.has(column) ? [`${column}: ${value}`] : [])).join('\n')

/** The hashes of all tables, and of each of their columns. */
async function hashesOfRows(tables: Tables, other: Tables): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const [table, columns] of tables.columns) {
    const shared = sharedColumns(columns, other.columns.get(table) ?? columns)
    const hashed = await tables.hash(table, shared)
    hashes.set(table, hashed.rows)
    for (const [n, column] of shared.entries()) hashes.set(`${table}.${column}`, hashed.columns[n] ?? '')
  }
  return hashes
}

const sharedColumns = (columns: Columns, other: Columns): string[] =>
  [...columns.keys()].filter((name) => other.has(name)).sort()
