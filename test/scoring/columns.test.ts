import { describe, expect, test } from 'vitest'

import { docOf } from '#builder/analysts/comments.ts'
import { columnsBySubject } from '#scoring/columns/columns.ts'
import { loadScoring } from '#scoring/index.ts'
import { allMeanings, describedTables } from '#scripts/pages/columns.ts'

const columns = await allMeanings()
const models = await loadScoring()
const tables = [...(await describedTables())].map(([id, names]) => ({ table: id.split('.')[1] ?? '', names }))

describe('the dictionary of columns', () => {
  test('has the meaning of each column of each table', () => {
    const missing = tables.flatMap(({ table, names }) =>
      names.filter((name) => docOf(columns, table, name) === undefined).map((name) => `${table}.${name}`),
    )
    expect(missing, 'columns without a meaning; expected an entry in scoring/columns').toEqual([])
  })

  test('has no meaning that no column needs', () => {
    const used = new Set(
      tables.flatMap(({ table, names }) =>
        names.map((name) => (columns[`${table}.${name}`] === undefined ? name : `${table}.${name}`)),
      ),
    )
    expect(Object.keys(columns).filter((key) => !used.has(key))).toEqual([])
  })

  test('defines a name once', () => {
    const headers = models.flatMap((model) => (model.kind === 'sql' ? Object.keys(model.meanings) : []))
    const keys = [...Object.values(columnsBySubject).flatMap(Object.keys), ...headers]
    expect(keys.filter((key, index) => keys.indexOf(key) < index)).toEqual([])
  })

  test('states the unit of each sum of money and of each price', () => {
    const money =
      /(^|_)usd$|^(close_|entry_|yes_|no_)?price$|^(bid|ask|mid|pnl|volume|cost|bought|sold|untracked|unmatched)$/
    const unstated = Object.entries(columns).filter(
      ([key, meaning]) => money.test(key.split('.').at(-1) ?? '') && !/US dollar/.test(meaning),
    )
    expect(unstated).toEqual([])
  })

  test('has one line of text a meaning, without a full stop', () => {
    const isLine = (meaning: string): boolean => /^[^\n]{4,140}$/.test(meaning) && !/[.;,] *$/.test(meaning)
    expect(Object.entries(columns).filter(([, meaning]) => !isLine(meaning))).toEqual([])
  })
})
