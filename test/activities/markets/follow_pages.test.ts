import { describe, expect, test } from 'vitest'

import { followPages, type AskPage } from '#activities/markets/follow_pages.ts'

/** A list whose cursor is the next offset. `change` damages its pages. */
const listOf =
  (rows: readonly unknown[], change: (rows: unknown[], from: number) => unknown[] = (page) => page): AskPage =>
  async (cursor, limit) => {
    const from = Number(cursor ?? 0)
    const next = from + limit < rows.length ? String(from + limit) : null
    return { rows: change(rows.slice(from, from + limit), from), next }
  }

const read = async (ask: AskPage, { limit = 4, full = 4 } = {}): Promise<unknown[]> => {
  const all: unknown[] = []
  for await (const page of followPages(ask, { limit, full })) all.push(...page)
  return all
}

const repeatsLast = (rows: unknown[]): unknown[] => [...rows, ...rows.slice(-1)]

describe('pages that are followed', () => {
  test.each([
    ['distinct rows', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['as many rows as fill the pages', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['equal rows at the end of a page', [1, 2, 3, 3, 5, 6]],
    ['equal rows at the end of the list', [1, 2, 3, 4, 5, 6, 6]],
    ['three equal rows at the end of the list', [1, 2, 3, 4, 5, 6, 6, 6]],
    ['equal rows on two pages', [1, 2, 3, 4, 4, 5]],
    ['two equal rows', [1, 1]],
    ['one row', [1]],
    ['no rows', []],
  ])('give %s as they are', async (_, rows) => {
    expect(await read(listOf(rows))).toEqual(rows)
  })

  const rows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  test.each<[string, AskPage, string]>([
    ['each page repeats its last row', listOf(rows, repeatsLast), '5 rows; expected at most 4'],
    ['the only page repeats its last row', listOf([1, 2], repeatsLast), 'repeats its last row'],
    [
      'the last row takes the place of another',
      listOf([1, 2, 3], (page) => repeatsLast(page.slice(0, -1))),
      'its last row',
    ],
    [
      'a page begins with the last row before it',
      listOf(rows, (page, from) => (from === 0 ? page : [rows[from - 1], ...page.slice(0, -1)])),
      'begins with the last row',
    ],
    ['a page repeats the one before it', listOf(rows, () => [1, 2, 3, 4]), 'repeats the page before it'],
    [
      'the cursor is lost',
      async (cursor, limit) => ({ ...(await listOf(rows)(cursor, limit)), next: null }),
      'no cursor',
    ],
    ['the cursor is repeated', async () => ({ rows: [Math.random()], next: 'a' }), 'cursor a: repeated'],
  ])('throw if %s', async (_, ask, message) => {
    await expect(read(ask)).rejects.toThrow(message)
  })
})
