import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'

import { z } from 'zod'

/**
 * Reads a list of JSON from a path or an address, unpacked if it is gzip, and parses it with a shape. Throws an error
 * that names the list.
 */
export async function readList<S extends z.ZodType>(from: string, shape: S): Promise<z.output<S>> {
  const bytes = /^https?:/.test(from) ? await fetched(from) : await readFile(from)
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString()
  const parsed = shape.safeParse(parseJson(text, from))
  if (parsed.success) return parsed.data
  throw new Error(`${from}: ${z.prettifyError(parsed.error).split('\n').slice(0, 2).join(' ')}; expected a public list`)
}

async function fetched(address: string): Promise<Buffer> {
  const response = await fetch(address, { headers: { 'user-agent': 'tapeline', accept: 'application/json' } })
  if (!response.ok) throw new Error(`${address}: status ${response.status}; expected 200`)
  return Buffer.from(await response.arrayBuffer())
}

function parseJson(text: string, from: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${from}: no JSON; expected a public list`, { cause: error })
  }
}
