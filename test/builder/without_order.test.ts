import { expect, test } from 'vitest'

import { withoutOrder } from '#builder/without_order.ts'
import { loadScoring } from '#scoring/index.ts'
import { openDuckDB } from '#storage/duckdb.ts'

const rows = 'select a, b from t'

test.each([
  [`${rows}\norder by a`, `${rows}\n`],
  [`${rows} ORDER  BY\n  a,\n  (b * 2)::integer desc -- so it is\n`, `${rows} `],
  [`${rows}\norder by a\n-- not\n-- order by b\n/*\norder by c */`, `${rows}\n`],
  [`${rows} -- in the\n-- order by a\n`, undefined],
  [`select * from (${rows}\norder by a\n)`, undefined],
  [`with x as (${rows}\norder by a) select * from x`, undefined],
  ['select list(a order by b) from t', undefined],
  ['select row_number() over (partition by a\norder by b) from t', undefined],
  [`select 'a''(\norder by b' as "(order by" from t`, undefined],
  [`${rows}\norder by a\nlimit 3`, undefined],
  [`${rows}\norder by a\noffset 3`, undefined],
  ['select a as reorder from t order by reorder', 'select a as reorder from t '],
])('%j has the rows of %j', (sql, expected) => expect(withoutOrder(sql)).toBe(expected ?? sql))

test('the inputs of all folds are whole selects without their order, by the parser of DuckDB', async () => {
  const folds = (await loadScoring()).filter(({ kind }) => kind === 'fold')
  expect(folds.length).toBeGreaterThan(5)
  const connection = await (await openDuckDB({ threads: 1, memory: '200MB', scratch: '' })).connect()
  for (const { name, sql } of folds) {
    const trees = [sql, withoutOrder(sql)].map(async (text) => {
      const reader = await connection.runAndReadAll('select json_serialize_sql($text::varchar)', { text })
      return String(reader.getRows()[0]?.[0])
    })
    const [ordered = '', unordered = ''] = await Promise.all(trees)
    expect([name, modifiers(ordered), modifiers(unordered)]).toEqual([name, ['ORDER_MODIFIER'], []])
  }
})

/** The last clauses of the only select of a parse tree. */
const modifiers = (tree: string): string[] =>
  JSON.parse(tree).statements[0].node.modifiers.map(({ type }: { type: string }) => type)
