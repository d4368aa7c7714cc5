import { settling } from '#ingest/http/replay.ts'

/** One page of a list: its raw rows, and the cursor of the next page (null: the last page). */
export type CursorPage = { rows: unknown[]; next: string | null }

/** Asks for at most `limit` rows after a cursor; undefined: from the start. */
export type AskPage = (cursor: string | undefined, limit: number) => Promise<CursorPage>

type Pages = {
  /** The requested rows of a page. */
  limit: number
  /** A last page of at least this many rows, as long as the longest page, may be one that lost its cursor. */
  full: number
  /** Identifies a row. With it the first page that is shorter than its request is compared with shorter pages. */
  idOf?: (row: unknown) => string
}

/** The shorter pages that are asked for to distinguish equal rows from a repeated row. */
const mostShorter = 8

/**
 * Follows cursors to their end. A missing cursor proves no end, and a repeated row no second one. Each suspicion is
 * settled by a request for the same page with a smaller limit. Throws if the list contradicts itself: a repeated
 * cursor, page or row, a page above its limit, or a full page without a cursor.
 */
export async function* followPages(ask: AskPage, { limit, full, idOf }: Pages): AsyncGenerator<unknown[]> {
  const seen = new Set<string>()
  let cursor: string | undefined
  let before: { cursor: string | undefined; rows: unknown[] } | undefined
  let longest = full
  const check = settling(ask)
  let isChecked = false
  for (;;) {
    const { rows, next } = await ask(cursor, limit)
    if (rows.length > limit) throw new Error(`page: ${rows.length} rows; expected at most ${limit}, as requested`)
    if (before !== undefined) await assertOther(check, before, { rows, limit, areNamed: idOf !== undefined })
    await assertEndsOnce(check, cursor, rows)
    if (idOf !== undefined && !isChecked && rows.length > 0 && rows.length < limit) {
      await assertWhole(check, cursor, { rows, next, idOf })
      isChecked = true
    }
    yield rows
    if (next === null) {
      if (rows.length >= Math.max(longest, 2)) await assertLast(check, cursor, rows)
      return
    }
    if (seen.has(next)) throw new Error(`cursor ${next}: repeated; expected a new cursor on each page`)
    seen.add(next)
    longest = Math.max(longest, rows.length)
    before = { cursor, rows }
    cursor = next
  }
}

type Check = (cursor: string | undefined, limit: number) => Promise<{ rows: readonly unknown[] } | undefined>
/** A check of a page with its cursor. */
type CursorCheck = (cursor: string | undefined, limit: number) => Promise<CursorPage | undefined>

const same = (a: unknown, b: unknown): boolean => a !== undefined && JSON.stringify(a) === JSON.stringify(b)
const endsTwice = (rows: readonly unknown[]): boolean => same(rows.at(-1), rows.at(-2))

/**
 * Throws if the list repeats the last row of its pages. A page that ends one row earlier shows equal rows as they are.
 */
export async function assertEndsOnce(
  check: Check,
  cursor: string | undefined,
  rows: readonly unknown[],
): Promise<void> {
  if (!endsTwice(rows)) return
  for (let n = rows.length - 1; n >= Math.max(1, rows.length - mostShorter); n -= 1) {
    const shorter = await check(cursor, n)
    if (shorter === undefined) return
    if (shorter.rows.length > n) break
    if (n === 1 ? shorter.rows.length === 1 : !endsTwice(shorter.rows)) return
  }
  throw new Error('page: it repeats its last row, whatever its length; expected each row once')
}

/**
 * Throws if a page that is shorter than its request leaves out rows. Pages of just its rows then leave out others.
 * Where a filter shortens pages, the rows are on the pages that follow. A tenth of them may have left the list
 * meanwhile.
 */
async function assertWhole(
  check: CursorCheck,
  cursor: string | undefined,
  { rows, next, idOf }: CursorPage & { idOf: (row: unknown) => string },
): Promise<void> {
  const n = rows.length
  const left = new Set(rows.map(idOf))
  let at = cursor
  for (let asked = 0; asked < mostShorter; asked += 1) {
    const again = await check(at, n)
    if (again === undefined) return
    // The half of two rows is one, whatever the limit.
    if (
      n === 1 &&
      asked > 0 &&
      next === null &&
      again.rows.some((row) => !rows.some((pageRow) => idOf(pageRow) === idOf(row)))
    )
      throw new Error('page: 1 row, and another one after it; expected both on the page')
    for (const row of again.rows) left.delete(idOf(row))
    if (again.next === null || (n > 1 && left.size === 0)) break
    at = again.next
  }
  if (left.size > n / 10)
    throw new Error(`page: ${n - left.size} of ${n} rows on pages of ${n} rows; expected all of them`)
}

/**
 * Throws if a page repeats the page before it, or begins with its last rows wherever that page ends. Equal rows of a
 * list may stand on both sides of its end.
 */
async function assertOther(
  check: CursorCheck,
  before: { cursor: string | undefined; rows: unknown[] },
  { rows, limit, areNamed }: { rows: readonly unknown[]; limit: number; areNamed: boolean },
): Promise<void> {
  if (rows.length === 0 || before.rows.length < 2) return
  if (rows.length === before.rows.length && same(rows, before.rows))
    throw new Error('page: it repeats the page before it; expected the next rows')
  // Callers take rows with names once.
  const n = (areNamed ? 0 : overlapOf(before.rows, rows)) || Number(same(rows[0], before.rows.at(-1)))
  if (n === 0) return
  const shorter = await check(before.cursor, Math.max(1, before.rows.length - n))
  if (shorter === undefined) return
  if (shorter.next === null) throw new Error('page: no cursor after a part of a page; expected a cursor')
  const after = await check(shorter.next, limit)
  const last = shorter.rows.slice(-n)
  const following = before.rows.slice(shorter.rows.length)
  if (after === undefined || !begins(after.rows, last) || begins(following, last)) return
  const what = n === 1 ? 'row' : `${n} rows`
  throw new Error(`page: it begins with the last ${what} of the page before it; expected the next rows`)
}

const begins = (rows: readonly unknown[], start: readonly unknown[]): boolean =>
  same(rows.slice(0, start.length), start)

/**
 * The rows of the end of a page with which the next one begins: two or more that differ, since equal rows may go on. 0
 * without such.
 */
function overlapOf(before: readonly unknown[], rows: readonly unknown[]): number {
  const first = JSON.stringify(rows[0])
  const from = before.findLastIndex((row) => JSON.stringify(row) === first && !same(row, before.at(-1)))
  const n = before.length - from
  return from >= 0 && n <= rows.length && same(before.slice(from), rows.slice(0, n)) ? n : 0
}

/** Throws if a page without a cursor has none after a part of its rows either: the list lost its cursors. */
async function assertLast(check: CursorCheck, cursor: string | undefined, rows: readonly unknown[]): Promise<void> {
  const shorter = await check(cursor, rows.length - 1)
  if (shorter === undefined || shorter.next !== null || shorter.rows.length < rows.length - 1) return
  throw new Error(`page: ${rows.length} rows and no cursor, also after fewer of them; expected a cursor`)
}

/** A shorter page may have rows of one kind alone by chance. */
const leastRows = 10

/** Whether all rows of a page that is long enough are such ones. */
export const areAll = <T>(rows: readonly T[], isSuch: (row: T) => boolean): boolean =>
  rows.length >= leastRows && rows.every(isSuch)
