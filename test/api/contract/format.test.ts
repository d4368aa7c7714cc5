import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { toCsv } from '#api/contract/format.ts'

test('has a header line, lines that end as RFC 4180 says, and numbers as JSON prints them', () => {
  const rows = [
    { id: 'a', pnl: -12.5, share: 0.000001 },
    { id: 'b, "c"', pnl: 12345678901.25, share: 0 },
  ]
  expect(toCsv(['id', 'pnl', 'share'], rows)).toBe(
    'id,pnl,share\r\na,-12.5,0.000001\r\n"b, ""c""",12345678901.25,0\r\n',
  )
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

  test('that begins with a control character begins with an apostrophe', () => {
    for (const control of ['\t', '\r', '\n']) {
      expect(cellsOf(toCsv(['a'], [{ a: `${control}=1` }]))).toEqual([['a'], [`'${control}=1`]])
    }
  })

  test('with a lone line break is one cell of one record', () => {
    const question = 'Will X win?\n=HYPERLINK(A1)\rY'
    expect(cellsOf(toCsv(['id', 'question'], [{ id: '1', question }]))).toEqual([
      ['id', 'question'],
      ['1', question],
    ])
  })

  test('is parsed back unchanged, with any text', () => {
    const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n,"\'a') }))
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
        const csv = toCsv(
          ['a', 'b'],
          rows.map(([a, b]) => ({ a, b })),
        )
        const guarded = (text: string) => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)
        expect(cellsOf(csv)).toEqual([['a', 'b'], ...rows.map((row) => row.map(guarded))])
      }),
    )
  })
})

/** Reads CSV by the grammar of RFC 4180, where a lone CR or LF also ends a record. */
function cellsOf(csv: string): string[][] {
  const records: string[][] = [[]]
  for (let at = 0; at < csv.length;) {
    const quoted = /"((?:[^"]|"")*)"/y
    const plain = /[^,\r\n"]*/y
    quoted.lastIndex = at
    plain.lastIndex = at
    const [whole, inner] = quoted.exec(csv) ?? []
    const text = plain.exec(csv)?.[0] ?? ''
    records.at(-1)?.push(inner === undefined ? text : inner.replaceAll('""', '"'))
    at += (whole ?? text).length
    const end = /,|\r\n|\r|\n/y
    end.lastIndex = at
    const separator = end.exec(csv)?.[0]
    if (separator === undefined) throw new Error(`CSV: unexpected text at ${at}; expected the end of a cell`)
    at += separator.length
    if (separator !== ',' && at < csv.length) records.push([])
    if (separator === ',' && at === csv.length) records.at(-1)?.push('')
  }
  return records
}
