import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

import { LRUCache } from 'lru-cache'

import type { Snapshot } from '#snapshots/marts.ts'

import type { Selection } from './endpoint.ts'

/** A page of a list. `next` holds the order values of its last row if another page follows. */
export type Page = { rows: Record<string, unknown>[]; next: string[] | null }

/** Reads up to `limit` rows after a position in the list's order. */
export async function readPage(
  snapshot: Snapshot,
  request: { selection: Selection; fields: string[]; limit: number; after: string[] | null },
): Promise<Page> {
  const { selection, fields, limit, after } = request
  const { order } = selection
  const marks = order.map(({ column }, i) => `${column}::varchar as _${i}`)
  const direction = order.map(({ column, isDescending }) => `${column}${isDescending ? ' desc' : ''}`)
  // One row more than the limit shows whether another page follows.
  const rows = await snapshot.query(
    `select ${[...fields, ...marks].join(', ')} from (${selection.sql})
     where (${after ? isAfter(order) : 'true'}) ${firstRows(order, { after, n: limit + 1, direction })}`,
    { ...selection.params, ...Object.fromEntries((after ?? []).map((value, i) => [`_${i}`, value])) },
  )
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    rows: page.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]]))),
    next: last ? order.map((_, i) => String(last[`_${i}`])) : null,
  }
}

/**
 * The first `n` rows in order. An interval of a rank needs no limit; with one, the database reads the whole list to
 * find its first rows.
 */
const firstRows = (
  order: Selection['order'],
  { after, n, direction }: { after: string[] | null; n: number; direction: string[] },
): string => {
  const [rank, ...others] = order
  const isInterval = rank?.isRank === true && others.length === 0
  return isInterval
    ? `and ${rank.column} <= ${Number(after?.[0] ?? 0) + n} order by ${rank.column}`
    : `order by ${direction.join(', ')} limit ${n}`
}

/** The rows after a position in the list's order: `a < $_0 or (a = $_0 and b > $_1)`. */
const isAfter = (order: Selection['order']): string =>
  order
    .map(({ column, type, isDescending }, i) => {
      const same = order.slice(0, i).map((before, k) => `${before.column} = $_${k}::${before.type}`)
      return `(${[...same, `${column} ${isDescending ? '<' : '>'} $_${i}::${type}`].join(' and ')})`
    })
    .join(' or ')

/** Counts the rows of a list, of all its pages. `list` is the request without its page. */
export type CountRows = (snapshot: Snapshot, list: string, selection: Selection) => Promise<number>

const mostCounts = 10_000

/**
 * A snapshot never changes, so each list is counted once for it; the pages of a walk share the count. A count under way
 * is not shared, since it ends with the callers that asked for it.
 */
export function openCounts(): CountRows {
  const kept = new LRUCache<string, number>({ max: mostCounts })
  return async (snapshot, list, { sql, params }) => {
    const key = `${snapshot.id} ${list}`
    const keptCount = kept.get(key)
    if (keptCount !== undefined) return keptCount
    const n = await countOf(snapshot, { sql, params })
    kept.set(key, n)
    return n
  }
}

const countOf = async (snapshot: Snapshot, { sql, params }: Pick<Selection, 'sql' | 'params'>): Promise<number> => {
  const [row] = await snapshot.query(`select count(*)::integer as n from (${sql})`, params)
  return Number(row?.['n'])
}

/** A position in a list: the snapshot of the first page, and the order values of the last row. */
export type Place = { snapshot_id: string; after: string[] }

export type Cursors = {
  /** A cursor is valid for one query only. */
  write: (query: string, place: Place) => string
  /** Null if this installation did not write the cursor for this query. */
  read: (query: string, cursor: string) => Place | null
}

const macBytes = 16

/**
 * Encrypted cursors: base64url of an HMAC over the position, and of the position encrypted with the HMAC as its nonce.
 * Equal positions therefore give equal cursors, as equal answers must, and a cursor shows no value of a hidden column.
 */
export function openCursors(secret: Buffer): Cursors {
  const keyOf = (use: string) => createHmac('sha256', secret).update(use).digest()
  const [macKey, cipherKey] = [keyOf('cursor mac'), keyOf('cursor cipher')]
  const macOf = (query: string, place: Buffer) =>
    createHmac('sha256', macKey).update(query).update('\0').update(place).digest().subarray(0, macBytes)

  return {
    write: (query, { snapshot_id, after }) => {
      const place = Buffer.from(JSON.stringify([snapshot_id, ...after]))
      const mac = macOf(query, place)
      const cipher = createCipheriv('aes-256-ctr', cipherKey, mac)
      return Buffer.concat([mac, cipher.update(place), cipher.final()]).toString('base64url')
    },
    read: (query, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url')
      const mac = bytes.subarray(0, macBytes)
      if (bytes.length <= macBytes) return null
      const decipher = createDecipheriv('aes-256-ctr', cipherKey, mac)
      const place = Buffer.concat([decipher.update(bytes.subarray(macBytes)), decipher.final()])
      if (!timingSafeEqual(mac, macOf(query, place))) return null
      const [snapshot_id, ...after] = JSON.parse(place.toString()) as [string, ...string[]]
      return { snapshot_id, after }
    },
  }
}
