import { hexText } from '#sim/random.ts'

import { countUpTo } from './indexes.ts'

/** The position of a cursor: the last row and its second, and the direction. It does not contain the filters. */
export type Cursor = { ts_s: number; row: number; isAscending: boolean }

export type Walk = {
  /** Row numbers by (second, number). */
  list: ArrayLike<number>
  tsOf: (row: number) => number
  /** Seconds, both included. */
  from_s: number
  to_s: number
  limit: number
  isAscending: boolean
  after: Cursor | undefined
  isWanted: (row: number) => boolean
}

/** The next rows after a position, and the cursor of the next page if there are more. */
export function readPage(walk: Walk): { rows: number[]; next: Cursor | null } {
  const { list, tsOf, isAscending, after } = walk
  const keyAt = (place: number) => keyOf(tsOf(list[place] ?? 0), list[place] ?? 0)
  const placeOf = (key: number) => countUpTo(list.length, keyAt, key - 1)
  let first = placeOf(keyOf(walk.from_s, 0))
  let end = placeOf(keyOf(walk.to_s + 1, 0))
  if (after !== undefined && isAscending) first = Math.max(first, placeOf(keyOf(after.ts_s, after.row) + 1))
  if (after !== undefined && !isAscending) end = Math.min(end, placeOf(keyOf(after.ts_s, after.row)))

  const rows: number[] = []
  const step = isAscending ? 1 : -1
  for (let place = isAscending ? first : end - 1; place >= first && place < end; place += step) {
    const row = list[place]
    if (row === undefined || !walk.isWanted(row)) continue
    const last = rows[rows.length - 1]
    if (rows.length === walk.limit) {
      return { rows, next: last === undefined ? null : { ts_s: tsOf(last), row: last, isAscending } }
    }
    rows.push(row)
  }
  return { rows, next: null }
}

/** One number that sorts like (second, row). */
const keyOf = (ts_s: number, row: number): number => ts_s * 2 ** 22 + row

/** Opaque and signed, so that foreign cursors are rejected. */
export function writeCursor(seed: number, type: string, { ts_s, row, isAscending }: Cursor): string {
  const data = { type, params: { ts: ts_s, sq: String(row), d: isAscending ? 1 : 2 } }
  return Buffer.from(JSON.stringify({ data, sig: sign(seed, JSON.stringify(data)) })).toString('base64url')
}

/** The cursor's position; undefined if it was not issued for this feed. */
export function readCursor(seed: number, type: string, text: string): Cursor | undefined {
  try {
    const { data, sig } = JSON.parse(Buffer.from(text, 'base64url').toString()) as {
      data: { type: string; params: { ts: number; sq: string; d: number } }
      sig: string
    }
    if (data.type !== type || sig !== sign(seed, JSON.stringify(data))) return undefined
    return { ts_s: data.params.ts, row: Number(data.params.sq), isAscending: data.params.d === 1 }
  } catch {
    // The text is no cursor; the caller responds with 400.
    return undefined
  }
}

function sign(seed: number, text: string): string {
  let sum = 0
  for (const byte of Buffer.from(text)) sum = (Math.imul(sum, 31) + byte) | 0
  return hexText(seed, 99, sum, 32)
}
