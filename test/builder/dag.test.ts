import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { orderModels, tablesRead } from '#builder/dag.ts'
import type { FoldModel, Layer, Model } from '#builder/model.ts'

let instance: DuckDBInstance
let connection: DuckDBConnection

beforeAll(async () => {
  instance = await DuckDBInstance.create()
  connection = await instance.connect()
})

afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const model = (id: `${Layer}.${string}`, sql: string): Model => {
  const [layer, name = ''] = id.split('.')
  return {
    kind: 'sql',
    layer: layer as Layer,
    name,
    doc: 'A row.',
    columns: [],
    sql,
    publication: 'scores',
    isStored: true,
    isOrdered: true,
    numbers: null,
    prunes: [],
    meanings: {},
  }
}

const given = new Set(['lake.fills', 'core.clock'])
const order = async (...models: Model[]) =>
  (await orderModels(connection, models, given)).map(({ model: { layer, name } }) => `${layer}.${name}`)
const reads = (sql: string) => tablesRead(connection, 'core.x', sql)

describe('models are ordered', () => {
  test('each after all that it reads, however they are listed', async () => {
    const a = model('staging.fills', 'select * from lake.fills, core.clock')
    const b = model('core.fills', 'select * from staging.fills')
    const c = model('core.days', 'select * from core.fills join staging.fills using (x)')
    const d = model('marts.days', 'select * from core.days')
    for (const models of [
      [a, b, c, d],
      [d, c, b, a],
      [c, a, d, b],
    ]) {
      expect(await order(...models)).toEqual(['staging.fills', 'core.fills', 'core.days', 'marts.days'])
    }
  })

  test('and wanted models are ordered with their inputs alone', async () => {
    const a = model('staging.fills', 'select * from lake.fills')
    const b = model('core.fills', 'select * from staging.fills')
    const c = model('core.days', 'select * from core.fills')
    const d = model('marts.days', 'select * from core.fills, core.clock')
    const ordered = await orderModels(connection, [d, c, b, a], given, [d])
    expect(ordered.map(({ model: { name }, reads: tables }) => [name, tables])).toEqual([
      ['fills', ['lake.fills']],
      ['fills', ['staging.fills']],
      ['days', ['core.clock', 'core.fills']],
    ])
  })

  test('a fold by the tables that it makes', async () => {
    const ledger: FoldModel = {
      kind: 'fold',
      layer: 'core',
      name: 'ledger',
      doc: 'A fold.',
      sql: 'select * from core.fills',
      outputs: { ledger_positions: [], ledger_steps: [] },
      fold: async () => {},
    }
    const positions = model('core.positions', 'select * from core.ledger_positions')
    const fills = model('core.fills', 'select * from lake.fills')
    expect(await order(positions, ledger, fills)).toEqual(['core.fills', 'core.ledger', 'core.positions'])
  })

  test('and a circle is reported from start to end', async () => {
    const models = [
      model('core.a', 'select * from core.b'),
      model('core.b', 'select * from core.c'),
      model('core.c', 'select * from core.a'),
    ]
    await expect(order(...models)).rejects.toThrow(
      'models: circular, core.a -> core.b -> core.c -> core.a; expected no circle',
    )
    await expect(order(model('core.a', 'select * from core.a'))).rejects.toThrow('core.a -> core.a')
  })

  test('and a table that no model makes is named', async () => {
    await expect(order(model('core.a', 'select * from staging.fils'))).rejects.toThrow(
      'model core.a: reads unknown table staging.fils; expected a table of a model',
    )
  })

  test('and a later layer is out of reach', async () => {
    const late = model('metrics.odds', 'select 1 as x')
    await expect(order(model('core.a', 'select * from metrics.odds'), late)).rejects.toThrow(
      'model core.a: reads metrics.odds of a later layer; expected the order staging, core, metrics, marts',
    )
  })

  test('and two that make the same table are refused', async () => {
    await expect(order(model('core.a', 'select 1 as x'), model('core.a', 'select 2 as x'))).rejects.toThrow(
      'table core.a: two models make it; expected one',
    )
  })
})

describe('the tables of a select', () => {
  test('is found in joins, subqueries, set operations and ASOF joins', async () => {
    const sql = `select (select max(x) from core.a) from core.b b asof join core.c c on b.x = c.x and b.ts >= c.ts
      where exists (from core.d) and x in (select x from core.e union all from core.f)`
    expect(await reads(sql)).toEqual(['core.a', 'core.b', 'core.c', 'core.d', 'core.e', 'core.f'])
  })

  test('leaves out the names of its own WITH clauses', async () => {
    const sql = `with a as (select * from core.x), b as (with c as (from core.y) select * from a, c) select * from b`
    expect(await reads(sql)).toEqual(['core.x', 'core.y'])
  })

  test('is a table of a schema, also where a WITH clause has the same name', async () => {
    expect(await reads('with fills as (select * from core.fills) select * from fills')).toEqual(['core.fills'])
  })

  test('may be recursive', async () => {
    const sql = `with recursive steps as (select x from core.a union all select x + 1 from steps where x < 9)
      select * from steps`
    expect(await reads(sql)).toEqual(['core.a'])
  })

  test('needs its schema, also where an inner WITH clause has the name', async () => {
    await expect(reads('select * from fills')).rejects.toThrow(
      'model core.x: reads fills without a schema; expected a name such as core.fills',
    )
    const sql = 'select * from (with fills as (from core.a) select * from fills), fills'
    await expect(reads(sql)).rejects.toThrow('reads fills without a schema')
    await expect(reads("select * from '/etc/hosts.csv'")).rejects.toThrow('without a schema')
  })

  test('is not hidden in functions that read tables or files', async () => {
    for (const call of ["query_table('core.fills')", "query('from core.fills')", "read_parquet('x.parquet')"]) {
      await expect(reads(`select * from ${call}`)).rejects.toThrow(
        /model core\.x: reads through .+\(…\); expected the name of a table/,
      )
    }
    expect(await reads('select * from range(3), unnest([1, 2]), generate_series(1, 2)')).toEqual([])
  })

  test('is one plain select and nothing else', async () => {
    for (const sql of ['drop table core.a', 'select 1; select 2', 'selec 1', '']) {
      await expect(reads(sql)).rejects.toThrow(/^model core\.x: .+; expected one plain select$/s)
    }
  })
})
