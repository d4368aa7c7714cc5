import { createHmac, timingSafeEqual } from 'node:crypto'

/** A position in a list: the snapshot of the first page, and the order values of the last row. */
export type Place = { snapshot_id: string; after: string[] }

export type Cursors = {
  /** A cursor is valid for one query only. */
  write: (query: string, place: Place) => string
  /** Null if this installation did not write the cursor for this query. */
  read: (query: string, cursor: string) => Place | null
}

const macBytes = 16

/** Signed cursors: base64url of an HMAC and of the position that it signs. */
export function openCursors(secret: Buffer): Cursors {
  const macOf = (query: string, place: Buffer) =>
    createHmac('sha256', secret).update(query).update('\0').update(place).digest().subarray(0, macBytes)

  return {
    write: (query, { snapshot_id, after }) => {
      const place = Buffer.from(JSON.stringify([snapshot_id, ...after]))
      return Buffer.concat([macOf(query, place), place]).toString('base64url')
    },
    read: (query, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url')
      const place = bytes.subarray(macBytes)
      if (bytes.length <= macBytes || !timingSafeEqual(bytes.subarray(0, macBytes), macOf(query, place))) return null
      const [snapshot_id, ...after] = JSON.parse(place.toString()) as [string, ...string[]]
      return { snapshot_id, after }
    },
  }
}
