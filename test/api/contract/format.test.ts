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

  test('is parsed back unchanged, with any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const [, cell = ''] = /^a\r\n([^]*)\r\n$/.exec(toCsv(['a'], [{ a: text }])) ?? []
        const plain = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
        expect(/^'[=+\-@]/.test(plain) && /^[=+\-@]/.test(text) ? plain.slice(1) : plain).toBe(text)
      }),
    )
  })
})
