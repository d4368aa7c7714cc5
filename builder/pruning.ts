import { coverage } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { sourcesAt } from '#lake/snapshot.ts'
import { accountSources } from '#registry/venues/index.ts'
import { literal } from '#storage/duckdb.ts'
import { HOUR, isoMicros, type Micros } from '#time.ts'

import { tablesOf, type Ordered } from './dag.ts'
import { isMart, type Pruning } from './model.ts'

/** The rows of a lake table that a build does not need: whole sources, and rows older than some hours. */
export type PrunedRows = { sources: readonly string[]; hours: number | null }

/**
 * Parses the rows that a mart does not need: `fills older than 24 hours, fills of accounts`. The latter are those of the
 * sources that read the histories of accounts.
 */
export const parsePruning = (text: string): Pruning[] =>
  text.split(/, */).flatMap((part) => {
    const [, table, hours] = /^(\w+) older than (\d+) hours$/.exec(part) ?? []
    if (table !== undefined) return { table, hours: Number(hours) }
    const [, dataset] = /^(\w+) of accounts$/.exec(part) ?? []
    if (dataset !== undefined) return ofAccounts(dataset)
    throw new Error(`"${part}": not a pruning; expected "fills older than 24 hours" or "fills of accounts"`)
  })

/** The rows of a table that the sources of accounts have. */
export const ofAccounts = (table: string): Pruning[] => accountSources.map((source) => ({ table, source }))

/** The rows of a lake table that no mart of this build reads. */
export function prunedBy(ordered: readonly Ordered[], table: string): PrunedRows {
  const makers = new Map(ordered.flatMap((node) => tablesOf(node.model).map((made) => [made, node] as const)))
  const rests = (node: Ordered): boolean =>
    node.reads.some((read) => {
      const maker = makers.get(read)
      return read === `lake.${table}` || (maker !== undefined && rests(maker))
    })
  const said = ordered
    .filter((node) => isMart(node.model) && rests(node))
    .map(({ model }) => (isMart(model) ? model.prunes.filter((pruning) => pruning.table === table) : []))
  return widestPruning(said)
}

/** The rows that none of several readers needs, by what each of them does not need. */
export function widestPruning(said: readonly (readonly Pruning[])[]): PrunedRows {
  const hours = said.map((all) => Math.min(...all.map((pruning) => ('hours' in pruning ? pruning.hours : Infinity))))
  const sources = said.map((all) => all.flatMap((pruning) => ('source' in pruning ? [pruning.source] : [])))
  const widest = Math.max(...hours)
  return {
    sources: (sources[0] ?? []).filter((source) => sources.every((others) => others.includes(source))),
    hours: Number.isFinite(widest) ? widest : null,
  }
}

/**
 * The part of a table to read: units by prefix, and a condition on its rows. Files of pruned sources are not opened.
 */
export async function selectionOf(
  lake: Lake,
  table: string,
  { snapshot, asOf, pruned: { sources, hours } }: { snapshot: number; asOf: Micros; pruned: PrunedRows },
): Promise<{ prefixes?: string[]; without?: string[]; where?: string }> {
  if (table === coverage.name) return { without: sources.map((source) => `${source}/`) }
  const others = sources.length === 0 ? undefined : await sourcesAt(lake, table, snapshot)
  return {
    ...(others && { prefixes: others.filter((source) => !sources.includes(source)).map((source) => `${source}/`) }),
    // A constant, not a subquery: DuckDB uses it to skip row groups at planning.
    ...(hours !== null && { where: `ts > timestamp ${literal(isoMicros(asOf - hours * HOUR))}` }),
  }
}
