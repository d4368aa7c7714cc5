import { createHash } from 'node:crypto'

import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { parseColumns } from '#builder/columns.ts'
import { contentHash, modelHash } from '#builder/content_hash.ts'
import { parseModel } from '#builder/load.ts'

let instance: DuckDBInstance
let connection: DuckDBConnection
let n_tables = 0

beforeAll(async () => {
  instance = await DuckDBInstance.create()
  connection = await instance.connect()
})

afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const columns = parseColumns('id; note?, price?, tags? VARCHAR[]')
async function hashOf(rows: readonly string[]): Promise<string> {
  const table = `t${n_tables++}`
  await connection.run(`create table ${table} (id varchar, note varchar, price decimal(9,6), tags varchar[])`)
  for (const row of rows) await connection.run(`insert into ${table} values ${row}`)
  return contentHash(connection, table, columns)
}

describe('the hash of a table', () => {
  const md5 = (text: string): bigint => BigInt(`0x${createHash('md5').update(text).digest('hex')}`)

  test('is the exclusive or of the MD5 of its rows as JSON', async () => {
    const [first, second] = [md5('["a","say \\"é\\"","0.500000","[x, y]"]'), md5('["b",null,null,null]')]
    expect(await hashOf([`('b', null, null, null)`, `('a', 'say "é"', 0.5, ['x', 'y'])`])).toBe(
      (first ^ second).toString(16).padStart(32, '0'),
    )
  })

  test('of no rows is 0, and of one row has all digits', async () => {
    expect(await hashOf([])).toBe('0'.repeat(32))
    for (let id = 0; id < 40; id++) expect(await hashOf([`('${id}', null, null, null)`])).toMatch(/^[0-9a-f]{32}$/)
  })

  test('differs if two rows exchange a value', async () => {
    const hashes = await Promise.all([
      hashOf(["('a', 'x', 1, [])", "('b', 'y', 2, [])"]),
      hashOf(["('a', 'y', 1, [])", "('b', 'x', 2, [])"]),
    ])
    expect(new Set(hashes).size).toBe(2)
  })

  test('does not depend on the place of rows, and differs for different rows', async () => {
    const rows = ["('a', 'x', 1, [])", "('b', 'y', 2, [])", "('c', null, 3, [])"]
    expect(await hashOf(rows.toReversed())).toBe(await hashOf(rows))
    const others = [
      ["('a', null, 1, [])"],
      ["('a', 'null', 1, [])"],
      ["('a', 'NULL', 1, [])"],
      ["('a', '', 1, [])"],
      ["('a', '', null, [])"],
      ["('a', '', 1, null)"],
      ["('a', '', 1, [''])"],
      ["('a', '', 1.000001, [])"],
      ["('A', '', 1, [])"],
      ["('a', '', 1, [])", "('b', '', 1, [])"],
      [],
    ]
    const hashes = new Set<string>()
    for (const other of others) hashes.add(await hashOf(other))
    expect(hashes.size).toBe(others.length)
  })
})

test('the hash of a model is over its columns and its select, not over its words', () => {
  const hash = (text: string) => modelHash(parseModel('core', 'x', text))
  const first = hash('-- One.\n-- columns: id; n_rows\nselect 1')
  expect(hash('-- Another.\n-- columns: id; n_rows BIGINT\nselect 1;\n')).toBe(first)
  expect(hash('-- One.\n-- columns: id; n_rows?\nselect 1')).not.toBe(first)
  expect(hash('-- One.\n-- columns: id, n_rows\nselect 1')).not.toBe(first)
  expect(hash('-- One.\n-- columns: id; n_rows\nselect 2')).not.toBe(first)
})
