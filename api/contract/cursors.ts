import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

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
