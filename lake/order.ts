import type { DuckDBConnection } from '@duckdb/node-api'

import { layers, type Model } from './model.ts'

/** The tables that a model makes, as `layer.name`. */
export const tablesOf = (model: Model): string[] =>
  model.kind === 'sql'
    ? [`${model.layer}.${model.name}`]
    : Object.keys(model.outputs).map((output) => `${model.layer}.${output}`)

/**
 * Puts models in an order in which each comes after all that it reads. What a model reads is found by DuckDB's own
 * parser. Unknown tables, cycles and reads of a later layer are errors.
 *
 * @param given tables that exist before any model runs, as `schema.name`
 */
export async function orderModels(
  connection: DuckDBConnection,
  models: readonly Model[],
  given: ReadonlySet<string>,
): Promise<Model[]> {
  const makers = new Map(models.flatMap((model) => tablesOf(model).map((table) => [table, model] as const)))
  const ordered: Model[] = []
  const state = new Map<Model, 'open' | 'done'>()

  const visit = async (model: Model, path: string[]): Promise<void> => {
    const id = `${model.layer}.${model.name}`
    if (state.get(model) === 'done') return
    if (state.get(model) === 'open')
      throw new Error(`models read each other in a circle: ${[...path, id].join(' -> ')}`)
    state.set(model, 'open')
    for (const table of await tablesRead(connection, id, model.sql)) {
      if (given.has(table)) continue
      const maker = makers.get(table)
      if (maker === undefined) throw new Error(`model ${id} reads ${table}, which no model makes`)
      if (layers.indexOf(maker.layer) > layers.indexOf(model.layer)) {
        throw new Error(`model ${id} reads ${table}: a layer reads itself and earlier ones (${layers.join(', ')})`)
      }
      await visit(maker, [...path, id])
    }
    state.set(model, 'done')
    ordered.push(model)
  }

  for (const model of models) await visit(model, [])
  return ordered
}

/** The tables that a select reads, as `schema.name`, without the names that its own WITH clauses make. */
export async function tablesRead(connection: DuckDBConnection, model: string, sql: string): Promise<string[]> {
  const reader = await connection.runAndReadAll('select json_serialize_sql($sql::varchar)', { sql })
  const tree: unknown = JSON.parse(String(reader.getRows()[0]?.[0]))
  if (!isNode(tree) || tree['error'] === true) {
    throw new Error(
      `model ${model} is not one plain select: ${isNode(tree) ? String(tree['error_message']) : 'no tree'}`,
    )
  }
  const found = new Set<string>()
  walk(tree, new Set(), (schema, table, names) => {
    if (schema !== '') found.add(`${schema}.${table}`)
    else if (!names.has(table))
      throw new Error(`model ${model} reads ${table} without its schema: write core.${table} or the like`)
  })
  return [...found].sort()
}

type Node = Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Visits every table of a parse tree, carrying the names of the WITH clauses in scope. */
function walk(
  value: unknown,
  names: ReadonlySet<string>,
  onTable: (schema: string, table: string, names: ReadonlySet<string>) => void,
): void {
  if (Array.isArray(value)) return value.forEach((item) => walk(item, names, onTable))
  if (!isNode(value)) return
  if (value['type'] === 'BASE_TABLE') {
    onTable(String(value['schema_name']), String(value['table_name']), names)
    return
  }
  const scope = new Set([...names, ...withNames(value['cte_map'])])
  for (const child of Object.values(value)) walk(child, scope, onTable)
}

const withNames = (map: unknown): string[] => {
  const entries = isNode(map) ? map['map'] : undefined
  return Array.isArray(entries) ? entries.map((entry: unknown) => (isNode(entry) ? String(entry['key']) : '')) : []
}
