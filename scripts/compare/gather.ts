import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { askAll } from './answers.ts'
import { tapeline, whileServing, type Place } from './commands.ts'
import { noEvidence, type Evidence } from './evidence.ts'
import { hashesOf, openHome, pathsOf, type Home } from './home.ts'
import type { CoverageRow } from './lake.ts'
import type { Side } from './sides.ts'
import type { Columns, Tables } from './tables.ts'
import type { World } from './worlds.ts'

/** Two values, of the first and of the second tree. */
export type Both<T> = { before: T; after: T }

/** Requests to rate limits of a real upstream would take minutes; those of a simulated one need no pause. */
const haste = { COMPARE_HASTE: '20' }
/** The clock stands, so that no allowance of an account is renewed. */
const lifted = { TAPELINE_RATE_FACTOR: '1000000' }

/**
 * Fills a home of each side from a world, and gathers the evidence of both. Throws if a command fails. `scratch` is
 * emptied.
 */
export async function gather(world: World, sides: Both<Side>, scratch: string): Promise<Both<Evidence>> {
  const [before, after] = [noEvidence(), noEvidence()]
  try {
    const homes = {
      before: await fill(world, sides.before, { folder: join(scratch, 'before'), evidence: before }),
      after: await fill(world, sides.after, { folder: join(scratch, 'after'), evidence: after }),
    }
    const opened = { before: await openHome(homes.before), after: await openHome(homes.after) }
    await describe(homes.before, opened.before, { other: opened.after, evidence: before })
    await describe(homes.after, opened.after, { other: opened.before, evidence: after })
    opened.before.close()
    opened.after.close()
    return { before, after }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Runs the commands of a world, then asks the service. Returns the home. */
async function fill(
  world: World,
  side: Side,
  { folder, evidence }: { folder: string; evidence: Evidence },
): Promise<string> {
  const [base, temporary] = [join(folder, 'home'), join(folder, 'tmp')]
  const home = join(base, world.home ?? '')
  for (const path of [base, temporary]) await mkdir(path, { recursive: true })
  const { settings, close } = await world.open()
  const run = async (args: readonly string[], place: Place, codes: readonly number[]): Promise<string> => {
    const { code, out, err } = await tapeline(side, args, place)
    evidence.commands.set(args.join(' '), String(code))
    if (codes.includes(code ?? -1)) return out
    throw new Error(
      `${world.name}: ${args.join(' ')} of ${side.folder} ended with ${code}; expected ${codes.join()}\n${err}`,
    )
  }
  try {
    const place = { home: base, clock: world.clock, scratch: temporary, settings: { ...settings, ...haste } }
    for (const { args, mayFail = false, clock = world.clock } of world.fills)
      await run(args, { ...place, clock }, mayFail ? [0, 1] : [0])
    const served = { ...place, home, settings: { ...settings, ...lifted } }
    if (world.home === undefined) await run(['score'], served, [0])
    const key = (await run(['key', 'create', '--tier', 'enterprise'], served, [0])).trim()
    evidence.answers = await whileServing(side, served, (url) => askAll(url, key))
    return home
  } finally {
    await close()
  }
}

/** Adds the evidence of the files of a home. Rows are compared over the columns that both homes have. */
async function describe(
  folder: string,
  home: Home,
  { other, evidence }: { other: Home; evidence: Evidence },
): Promise<void> {
  const { columns } = evidence
  evidence.paths = pathsOf(home.files)
  evidence.hashes = await hashesOf(folder, home.files)
  evidence.rows = await rowsOf(home.rows, other.rows)
  evidence.tables = await rowsOf(home.analysts, other.analysts)
  for (const [table, own] of home.analysts.columns)
    for (const [column, type] of own) columns.set(`${table}.${column}`, type)
  const [ours, theirs] = [home, other].map(({ lake }) => columnsOf([...lake.coverage.values()]))
  for (const column of ours ?? []) columns.set(`coverage.${column}`, '')
  evidence.coverage = new Map(
    [...home.lake.coverage].map(([unit, row]) => [
      unit,
      [...row].flatMap(([column, value]) => (theirs?.has(column) === true ? [`${column}: ${value}`] : [])).join('\n'),
    ]),
  )
}

const columnsOf = (rows: readonly CoverageRow[]): Set<string> => new Set(rows.flatMap((row) => [...row.keys()]))

/** The hashes of all tables, and of each of their columns. */
async function rowsOf(tables: Tables, other: Tables): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const [table, own] of tables.columns) {
    const shared = sharedColumns(own, other.columns.get(table) ?? own)
    const { rows, columns } = await tables.hash(table, shared)
    hashes.set(table, rows)
    for (const [n, column] of shared.entries()) hashes.set(`${table}.${column}`, columns[n] ?? '')
  }
  return hashes
}

const sharedColumns = (own: Columns, other: Columns): string[] =>
  [...own.keys()].filter((name) => other.has(name)).sort()
