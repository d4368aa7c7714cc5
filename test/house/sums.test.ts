import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { builtinTables } from '#builder/builtin_tables.ts'
import { createStoredViews } from '#builder/materialize.ts'
import { layers } from '#builder/model.ts'
import { coverage, datasets, quarantine } from '#lake/datasets/index.ts'
import { loadScoring } from '#scoring/index.ts'

/** Sums of floats differ from run to run with the order of threads, so that a build would not repeat. */
const summing = /\b(sum|avg|mean|product|(stddev|var)(_samp|_pop)?|variance)\s*\(/gi
const inexact = /count\('(DOUBLE|FLOAT)'\)/g

const models = await loadScoring()
let instance: DuckDBInstance
let connection: DuckDBConnection

beforeAll(async () => {
  instance = await DuckDBInstance.create()
  connection = await instance.connect()
  await connection.run(['lake', ...layers].map((schema) => `create schema ${schema};`).join(' '))
  for (const [name, columns] of Object.entries(builtinTables)) await create(name, columns)
  for (const { name, columns } of [...Object.values(datasets), coverage, quarantine]) {
    await create(
      `lake.${name}`,
      Object.entries(columns).map(([column, { sql }]) => ({ name: column, sql })),
    )
  }
  for (const model of models) {
    const outputs = model.kind === 'sql' ? { [model.name]: model.columns } : model.outputs
    for (const [name, columns] of Object.entries(outputs)) await create(`${model.layer}.${name}`, columns)
  }
  for (const model of models) await createStoredViews(connection, model.sql)
})

afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

async function create(table: string, columns: { name: string; sql: string }[]): Promise<void> {
  await connection.run(`create table ${table} (${columns.map(({ name, sql }) => `"${name}" ${sql}`).join(', ')})`)
}

/** A select with each `sum(x)` turned into `count(typeof(x))`, which the planner writes as `count('DOUBLE')`. */
function reveal(sql: string): string {
  let text = sql
  for (const { 0: call, index } of [...sql.matchAll(summing)].toReversed()) {
    const start = index + call.length
    const end = closing(text, start)
    text = `${text.slice(0, index)}count(typeof(${text.slice(start, end)}))${text.slice(end + 1)}`
  }
  return text
}

/** The position at which the parenthesis that is open at `start` closes. */
function closing(text: string, start: number): number {
  for (let at = start, depth = 1; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')') depth--
    if (depth === 0) return at
  }
  throw new Error(`a parenthesis does not close: ${text.slice(start)}`)
}

/** The floats that a select sums, as its plan shows them. */
async function inexactSums(sql: string): Promise<string[]> {
  await connection.run("pragma explain_output = 'all'")
  const plans = await connection.runAndReadAll(`explain (format json) ${reveal(sql)}`)
  const plan = plans.getRows().find(([name]) => name === 'logical_plan')
  return [...new Set(String(plan?.[1]).match(inexact) ?? [])]
}

describe('what scoring sums', () => {
  it.each(models.map(({ layer, name, sql }) => [`${layer}.${name}`, sql] as const))(
    'is exact in %s',
    async (_, sql) => {
      expect(await inexactSums(sql)).toEqual([])
    },
  )

  it.each([
    ['a float', 'select sum(price::double) from core.fills'],
    ['a float, filtered', `select sum(price::double) filter (side = 'buy') from core.fills`],
    ['a quotient', 'select trader, sum(1 / size) from core.fills group by trader'],
    ['a float over a window', 'select sum(price::float) over (partition by trader order by ts) from core.fills'],
    ['a float in a subquery', 'with s as (select avg(price * 1.0e0) as a from core.fills) select a from s'],
  ])('would be refused: %s', async (_, sql) => {
    expect(await inexactSums(sql)).toHaveLength(1)
  })

  it('may be an integer, a decimal, and a float that is made of exact sums', async () => {
    expect(await inexactSums('select sum(seq)::double / sum(size), avg(price) from core.fills')).toEqual([])
  })
})
