import { expect, test } from 'vitest'

import { lostColumns } from '#ingest/lost_columns.ts'

const ids = Array.from({ length: 6 }, (_, index) => `m${index}`)
const last = new Map(
  ids.map((market_id) => [market_id, { market_id, question: 'Rain?', is_open: true, status: 'resolved' }]),
)
/** A new reading in which so many of the six markets keep the values of these columns. */
const reading = (keeps: { question?: number; is_open?: number; status?: number }) =>
  ids.map((market_id, index) => ({
    market_id,
    question: index < (keeps.question ?? 6) ? 'Rain?' : null,
    is_open: index < (keeps.is_open ?? 6),
    status: index < (keeps.status ?? 6) ? 'resolved' : 'closed',
  }))

test.each([
  [{}, []],
  [{ question: 4 }, []],
  [{ question: 3 }, ['question']],
  [{ is_open: 1, status: 1 }, []],
  [{ is_open: 0 }, ['is_open']],
  [{ status: 0 }, ['status resolved']],
])('of six markets that had all values, %j keep them: lost are %j', (keeps, lost) => {
  expect(lostColumns('markets', reading(keeps), last)).toEqual(lost)
})

test('no column is lost where only four markets had values', () => {
  const few = new Map([...last].slice(0, 4))
  expect(lostColumns('markets', reading({ question: 0, is_open: 0 }), few)).toEqual([])
})
