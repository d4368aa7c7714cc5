import { createHmac, timingSafeEqual } from 'node:crypto'

/** A place in a list: the snapshot that the walk began in, and the order values of the last row seen. */
type Place = { snapshot_id: string; after: string[] }

export type Cursors = {
  /** `query` says what was asked for; the cursor fits no other. */
  write: (query: string, place: Place) => string
  /** Null where the cursor was not written for this query by this installation. */
  read: (query: string, cursor: string) => Place | null
}

const macBytes = 16

/** Cursors that only the holder of the secret can make: base64url of an HMAC and the place that it vouches for. */
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
