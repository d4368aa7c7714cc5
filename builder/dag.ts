import type { DuckDBConnection } from '@duckdb/node-api'

import { layers, ModelError, storedSchema, type Model } from './model.ts'

/** The tables that a model builds, as `layer.name`. */
export const tablesOf = (model: Model): string[] =>
  model.kind === 'sql'
    ? [`${model.layer}.${model.name}`]
    : Object.keys(model.outputs).map((output) => `${model.layer}.${output}`)

/** A model and the tables that it reads, as `schema.name`. */
export type Ordered = { model: Model; reads: string[] }

/** The tables that a model reads. A process orders the same models for each pulse, and parsing takes a tenth of one. */
const readBy = new WeakMap<Model, string[]>()

/**
 * Orders models so that each follows the models that it reads. DuckDB's parser finds the tables that a model reads.
 * Unknown tables, cycles and reads of a later layer are errors.
 *
 * @param createdTables tables that exist before any model runs, as `schema.name`
 * @param wanted the models to build; only these and their inputs are ordered
 */
export async function orderModels(
  connection: DuckDBConnection,
  models: readonly Model[],
  createdTables: ReadonlySet<string>,
  wanted: readonly Model[] = models,
): Promise<Ordered[]> {
  const makers = makersOf(models)
  const ordered: Ordered[] = []
  const state = new Map<Model, 'open' | 'done'>()

  const visit = async (model: Model, path: string[]): Promise<void> => {
    const id = `${model.layer}.${model.name}`
    if (state.get(model) === 'done') return
    if (state.get(model) === 'open')
      throw new ModelError(`models: circular, ${[...path, id].join(' -> ')}; expected no circle`)
    state.set(model, 'open')
    const reads = readBy.get(model) ?? (await tablesRead(connection, id, model.sql))
    readBy.set(model, reads)
    for (const table of reads) {
      if (createdTables.has(table)) continue
      const maker = makers.get(table)
      if (maker === undefined)
        throw new ModelError(`model ${id}: reads unknown table ${table}; expected a table of a model`)
      if (layers.indexOf(maker.layer) > layers.indexOf(model.layer)) {
        throw new ModelError(`model ${id}: reads ${table} of a later layer; expected the order ${layers.join(', ')}`)
      }
      await visit(maker, [...path, id])
    }
    state.set(model, 'done')
    ordered.push({ model, reads })
  }

  for (const model of wanted) await visit(model, [])
  return ordered
}

function makersOf(models: readonly Model[]): Map<string, Model> {
  const makers = new Map<string, Model>()
  for (const model of models) {
    for (const table of tablesOf(model)) {
      if (makers.has(table)) throw new ModelError(`table ${table}: two models make it; expected one`)
      makers.set(table, model)
    }
  }
  return makers
}

/**
 * The tables that a select reads, as `schema.name`, without the names of its WITH clauses. A stored table is that of
 * the core.
 */
export async function tablesRead(connection: DuckDBConnection, model: string, sql: string): Promise<string[]> {
  const reader = await connection.runAndReadAll('select json_serialize_sql($sql::varchar)', { sql })
  const tree: unknown = JSON.parse(String(reader.getRows()[0]?.[0]))
  const fail = (reason: string): Error => new ModelError(`model ${model}: ${reason}`)
  if (!isNode(tree) || tree['error'] === true) {
    throw fail(`${isNode(tree) ? String(tree['error_message']) : 'no parse tree'}; expected one plain select`)
  }
  const statements = Array.isArray(tree['statements']) ? tree['statements'].length : 0
  if (statements !== 1) throw fail(`${statements} statements; expected one plain select`)
  const tables = new Set<string>()
  walk(tree, new Set(), {
    onTable: (schema, table, names) => {
      if (schema !== '') tables.add(`${schema === storedSchema ? 'core' : schema}.${table}`)
      else if (!names.has(table)) throw fail(`reads ${table} without a schema; expected a name such as core.${table}`)
    },
    onFunction: (name) => {
      if (!madeOfNothing.has(name)) throw fail(`reads through ${name}(…); expected the name of a table`)
    },
  })
  return [...tables].sort()
}

/** Table functions that read neither a table nor a file. */
const madeOfNothing = new Set(['range', 'generate_series', 'unnest'])

type Node = Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

type Visitor = {
  onTable: (schema: string, table: string, names: ReadonlySet<string>) => void
  onFunction: (name: string) => void
}

/** Visits every table of a parse tree, with the names of the WITH clauses in scope. */
function walk(value: unknown, names: ReadonlySet<string>, visitor: Visitor): void {
  if (Array.isArray(value)) return value.forEach((item) => walk(item, names, visitor))
  if (!isNode(value)) return
  if (value['type'] === 'BASE_TABLE') {
    visitor.onTable(String(value['schema_name']), String(value['table_name']), names)
    return
  }
  if (value['type'] === 'TABLE_FUNCTION' && isNode(value['function'])) {
    visitor.onFunction(String(value['function']['function_name']))
  }
  const scope = new Set([...names, ...withNames(value['cte_map'])])
  for (const child of Object.values(value)) walk(child, scope, visitor)
}

const withNames = (map: unknown): string[] => {
  const entries = isNode(map) ? map['map'] : undefined
  return Array.isArray(entries) ? entries.map((entry: unknown) => (isNode(entry) ? String(entry['key']) : '')) : []
}
