import { isAscii } from 'node:buffer'

import type { Received } from './send.ts'

/** The bytes of a body, as they came. */
export type Body = readonly Uint8Array[]

/** The bytes of a response in chunks, or null if they are too many. The rest of a longer body is not read. */
export async function readBody({ body }: Received, limit: number, counts?: { bytes: number }): Promise<Body | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (counts) counts.bytes += chunk.byteLength
    if (size > limit) return null
    chunks.push(chunk)
  }
  return chunks
}

/** New memory for each body costs as much as decoding it. The system gives the pages of this as they are first used. */
const shared = Buffer.allocUnsafeSlow(16 * 1024 * 1024)

/** The bytes of a body, until the next call. */
function joined(chunks: Body): Buffer {
  const size = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (size > shared.length) return Buffer.concat(chunks, size)
  let at = 0
  for (const chunk of chunks) {
    shared.set(chunk, at)
    at += chunk.byteLength
  }
  return shared.subarray(0, size)
}

/** JSON is UTF-8. Most bodies are ASCII alone, whose bytes are copied without decoding. */
export function decodeJson(body: Body): string {
  const bytes = joined(body)
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}

const charsetInHeader = /charset\s*=\s*"?([\w.:-]+)/i
/** The declarations of HTML and XML. They are within the first 1,024 bytes, and are ASCII in all common charsets. */
const charsetInText = /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)|^\s*<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/i

/** Decodes text by its byte order mark, its header or its own declaration; as UTF-8 without a known charset. */
export function decodeText(body: Body, contentType: string | undefined): string {
  const bytes = joined(body)
  const declared = charsetInText.exec(bytes.subarray(0, 1024).toString('latin1'))
  const label = charsetInHeader.exec(contentType ?? '')?.[1] ?? declared?.[1] ?? declared?.[2] ?? 'utf-8'
  try {
    return new TextDecoder(charsetOfMark(bytes) ?? label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function charsetOfMark(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 3).toString('hex')
  if (start === 'efbbbf') return 'utf-8'
  if (start.startsWith('feff')) return 'utf-16be'
  return start.startsWith('fffe') ? 'utf-16le' : undefined
}
