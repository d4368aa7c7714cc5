import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { toCsv } from '#api/contract/format.ts'
import { literal, openDuckDB } from '#storage/duckdb.ts'

let dir: string
let instance: DuckDBInstance
let reader: DuckDBConnection
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tapeline-csv-'))
  instance = await openDuckDB({ threads: 1, memory: '256MB', scratch: dir })
  reader = await instance.connect()
})
afterAll(async () => {
  reader.closeSync()
  instance.closeSync()
  await rm(dir, { recursive: true })
})

test('has a header line, lines that end as RFC 4180 says, and numbers as JSON prints them', () => {
  const rows = [
    { id: 'a', pnl: -12.5, share: 0.000001 },
    { id: 'b, "c"', pnl: 12345678901.25, share: 0 },
  ]
  expect(toCsv(['id', 'pnl', 'share'], rows)).toBe(
    'id,pnl,share\r\na,-12.5,0.000001\r\n"b, ""c""",12345678901.25,0\r\n',
  )
})

test('writes both truth values as JSON does', () => {
  expect(toCsv(['active'], [{ active: true }, { active: false }])).toBe('active\r\ntrue\r\nfalse\r\n')
})

test('of nothing is the header line', () => {
  expect(toCsv(['id', 'pnl'], [])).toBe('id,pnl\r\n')
})

describe('a cell of text', () => {
  test('that a spreadsheet would run as a formula begins with an apostrophe', () => {
    for (const sign of ['=', '+', '-', '@']) {
      expect(toCsv(['a'], [{ a: `${sign}1+1` }])).toBe(`a\r\n'${sign}1+1\r\n`)
    }
    expect(toCsv(['a'], [{ a: '1=1' }])).toBe('a\r\n1=1\r\n')
  })

  test('that begins with a control character begins with an apostrophe', async () => {
    for (const control of ['\t', '\r', '\n']) {
      expect(await cellsOf(toCsv(['a'], [{ a: `${control}=1` }]))).toEqual([['a'], [`'${control}=1`]])
    }
  })

  test('with a lone line break is one cell of one record', async () => {
    const question = 'Will X win?\n=HYPERLINK(A1)\rY'
    expect(await cellsOf(toCsv(['id', 'question'], [{ id: '1', question }]))).toEqual([
      ['id', 'question'],
      ['1', question],
    ])
  })

  test('is read back unchanged by another reader, with any text', async () => {
    const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n,"\'a') }))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1 }), async (rows) => {
        const csv = toCsv(
          ['a', 'b'],
          rows.map(([a, b]) => ({ a, b })),
        )
        const guarded = (text: string) => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)
        expect(await cellsOf(csv)).toEqual([['a', 'b'], ...rows.map((row) => row.map(guarded))])
      }),
    )
  })
})

/** The records of a CSV as DuckDB's reader gives them, with every cell as text. Its lines end with CRLF. */
async function cellsOf(csv: string): Promise<unknown[][]> {
  const file = join(dir, 'answer.csv')
  await writeFile(file, csv)
  const names = csv.slice(0, csv.indexOf('\r\n')).split(',')
  const columns = names.map((name) => `${name}: 'varchar'`).join()
  // An empty cell is an empty text, and no cell is null.
  const settings = `auto_detect = false, header = false, quote = '"', escape = '"', new_line = '\\r\\n', nullstr = 'null?'`
  const read = await reader.runAndReadAll(`from read_csv(${literal(file)}, columns = {${columns}}, ${settings})`)
  return read.getRowsJS()
}
