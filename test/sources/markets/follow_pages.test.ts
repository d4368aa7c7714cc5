import { describe, expect, test } from 'vitest'

import { followPages, type AskPage } from '#sources/markets/follow_pages.ts'

/** A list whose cursor is the next offset. `change` damages its pages. */
const listOf =
  (rows: readonly unknown[], change: (rows: unknown[], from: number) => unknown[] = (page) => page): AskPage =>
  async (cursor, limit) => {
    const from = Number(cursor ?? 0)
    const next = from + limit < rows.length ? String(from + limit) : null
    return { rows: change(rows.slice(from, from + limit), from), next }
  }

type Reading = { limit?: number; full?: number; idOf?: (row: unknown) => string }
const read = async (ask: AskPage, { limit = 4, full = 4, ...more }: Reading = {}): Promise<unknown[]> => {
  const all: unknown[] = []
  for await (const page of followPages(ask, { limit, full, ...more })) all.push(...page)
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
    ['two equal rows on each of two pages', [1, 2, 3, 3, 3, 3, 4, 5]],
    ['two rows that follow each other on both sides of the end of a page', [1, 2, 3, 4, 3, 4, 5]],
    ['two rows three times', [3, 4, 3, 4, 3, 4, 5]],
    ['three rows on both sides of the end of a page', [1, 2, 3, 4, 2, 3, 4, 5]],
    ['a row of the page before, and others after it', [1, 2, 3, 4, 3, 5, 6]],
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
    [
      'a page begins with the last rows before it',
      listOf(rows, (page, from) => (from === 0 ? page : rows.slice(from - 2, from + 2))),
      'begins with the last 2 rows of the page before it',
    ],
    [
      'a page begins with most rows before it',
      listOf(rows, (page, from) => (from === 0 ? page : rows.slice(Math.max(0, from - 3), from + 1))),
      'begins with the last 3 rows of the page before it',
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

  test('of named rows throw if a page leaves out rows, whatever its length', async () => {
    const named = { idOf: String }
    const half = (of: unknown[]) => listOf(of, (page) => page.slice(0, Math.ceil(page.length / 2)))
    await expect(read(half(rows), named)).rejects.toThrow('1 of 2 rows on pages of 2 rows; expected all of them')
    await expect(read(half(rows.slice(0, 2)), named)).rejects.toThrow('1 row, and another one after it')
    expect(await read(listOf(rows), named)).toEqual(rows)
    expect(await read(listOf(rows.slice(0, 1)), named)).toEqual(rows.slice(0, 1))
    expect(await read(listOf(rows), { ...named, limit: 20 })).toEqual(rows)
  })

  test('of named rows may repeat rows, which callers take once', async () => {
    const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    const ask = listOf(ten, (page, from) => (from === 4 ? ten.slice(2, 6) : page))
    expect(await read(ask, { idOf: String })).toEqual([1, 2, 3, 4, 3, 4, 5, 6, 9, 10])
  })

  test('of named rows may be shorter by a filter, whose rows follow', async () => {
    const even = listOf(rows, (page) => page.filter((row) => Number(row) % 2 === 0))
    expect(await read(even, { idOf: String })).toEqual(rows.filter((row) => row % 2 === 0))
  })
})
