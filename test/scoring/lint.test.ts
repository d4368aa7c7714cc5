import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { parseModel } from '#builder/load.ts'
import type { Model } from '#builder/model.ts'
import { loadScoring } from '#scoring/index.ts'

import { withTables } from './model.ts'

/** Sums in floating point differ with the order of the rows, hence from run to run on several threads. */
const summing =
  /^(sum|fsum|sumkahan|kahan_sum|avg|favg|mean|stddev|stddev_pop|stddev_samp|variance|var_pop|var_samp|corr|covar_pop|covar_samp|regr_.*|product|geomean)$/

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** The aggregates and windows of a plan that sum what is DOUBLE or FLOAT. */
function floatSums(node: unknown): string[] {
  if (!isNode(node)) return []
  const deeper = Object.values(node).flatMap(floatSums)
  const { expression_class: kind, name, arguments: types } = node
  if ((kind !== 'BOUND_AGGREGATE' && kind !== 'BOUND_WINDOW') || !summing.test(String(name))) return deeper
  const isFloat = Array.isArray(types) && types.some((type) => isNode(type) && /DOUBLE|FLOAT/.test(String(type['id'])))
  return isFloat ? [...deeper, String(name)] : deeper
}

const floatSumsOf = (model: Model): Promise<string[]> =>
  withTables(model, {}, async (connection) => {
    const reader = await connection.runAndReadAll('select json_serialize_plan($sql::varchar, optimize := false)', {
      sql: model.sql,
    })
    const plan: unknown = JSON.parse(String(reader.getRows()[0]?.[0]))
    if (!isNode(plan) || plan['error'] !== false) throw new Error(`no plan: ${JSON.stringify(plan)}`)
    return floatSums(plan)
  })

/** Functions that make two builds of one instant differ. */
const restless =
  /\b(now|today|random|setseed|uuid|uuidv4|uuidv7|gen_random_uuid|current_timestamp|current_date|current_time|localtime|localtimestamp|get_current_timestamp|get_current_time|transaction_timestamp|nextval|currval|tablesample|using sample)\b/i

const restlessIn = ({ sql }: Model): string | undefined => restless.exec(sql.replaceAll(/--[^\n]*/g, ''))?.[0]

const models = await loadScoring()
const named = models.map((model) => [`${model.layer}.${model.name}`, model] as const)

describe('every model', () => {
  test.each(named)('%s sums nothing as DOUBLE', async (_, model) => {
    expect(await floatSumsOf(model)).toEqual([])
  })

  test.each(named)('%s knows no time but the clock, and no chance', (_, model) => {
    expect(restlessIn(model)).toBeUndefined()
  })
})

/** Inputs of one other table, whose test covers them. */
const inputs = /^(core\.(pool_prints|price_reach)|metrics\.wallet_(returns|rhythm|sandwiches))$/

test('every model has a test of its name, or one that builds it by its name; those of the ledgers are tested with them', () => {
  const ofTheLedger = /^core\.(ledger_.*|positions|realizations|conversions|holdings|lot_.*|lots|disposals|unmatched)$/
  const paths = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const tests = paths
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }))
  const untested = models.filter(
    ({ kind, layer, name }) =>
      kind === 'sql' &&
      !ofTheLedger.test(`${layer}.${name}`) &&
      !inputs.test(`${layer}.${name}`) &&
      !tests.some(
        ({ path, text }) =>
          path.startsWith(`${layer}/`) && (path.endsWith(`/${name}.test.ts`) || text.includes(`'${layer}.${name}'`)),
      ),
  )
  expect(untested.map(({ name }) => name)).toEqual([])
})

describe('the lint itself', () => {
  const model = (sql: string) => parseModel('core', 'planted', `-- Planted.\n-- columns: x\n${sql}`)

  test.each([
    ['select sum(price::double) as x from core.fills', ['sum']],
    ['select avg(sqrt(price)) as x from core.fills', ['avg']],
    ['select sum(size * price * 0.5::double) over (partition by trader order by ts) as x from core.fills', ['sum']],
    ['select stddev(price) as x from core.fills', ['stddev']],
    ['with a as (select sum(price::float) as x from core.fills) select max(x) as x from a', ['sum']],
    ['select sum(price) filter (price > (select sum(price::double) from core.fills)) as x from core.fills', ['sum']],
    ['select sum(price) + avg(size) + sum((price::double)::decimal(9,6)) as x from core.fills', []],
    ['select sum(price)::double / count(*) as x from core.fills', []],
  ])('%s', async (sql, found) => {
    expect(await floatSumsOf(model(sql))).toEqual(found)
  })

  test.each([
    ['select now() as x', 'now'],
    ['select CURRENT_TIMESTAMP as x', 'CURRENT_TIMESTAMP'],
    ['select today() - 1 as x', 'today'],
    ['select random() as x', 'random'],
    ['select 1 as x from core.fills using sample 10', 'using sample'],
    ['select as_of as x from core.clock -- not now()', undefined],
    ['select known_role as x from core.nowhere', undefined],
  ])('%s', (sql, found) => {
    expect(restlessIn(model(sql))).toBe(found)
  })
})
