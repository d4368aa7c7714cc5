import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { DuckDBDataChunk, INTEGER, VARCHAR } from '@duckdb/node-api'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { literal, withConnection } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { rawPath, type Unit } from './unit.ts'

/**
 * One raw response of an upstream, as it came, and the request that it answers: `query` is the canonical query string, `digest`
 * that of the request's body. A GET without a body has neither `method` nor `digest`.
 */
export type RawReply = {
  host: string
  path: string
  query: string
  method?: string
  digest?: string
  status: number
  body: string
}

/**
 * The reading that the answers belong to: its unit, its instant, and the watermark that its upstream was asked for,
 * without which it could not be read again.
 */
export type RawReading = { unit: Unit; at: Micros; watermark?: { head: number; final: number } | undefined }

/** The answers that a unit was read from, in their order. */
export type RawUnit = RawReading & { replies: RawReply[] }

const types = [INTEGER, INTEGER, VARCHAR, VARCHAR, VARCHAR, VARCHAR, VARCHAR, INTEGER, VARCHAR]
/**
 * Bodies are split into lines of at most a million characters: DuckDB reads lines into buffers of twice the longest
 * expected line, one buffer a thread.
 */
const pieceLength = 1_000_000
const piece = new RegExp(`[^]{1,${pieceLength}}`, 'gu')
const lineShape = z.object({
  n: z.number(),
  host: z.string(),
  path: z.string(),
  query: z.string(),
  // Files of earlier versions lack these two.
  method: z.string().nullable(),
  digest: z.string().nullable(),
  status: z.number(),
  body: z.string(),
})
const unitShape = z.object({
  at: z.number(),
  watermark: z.object({ head: z.number(), final: z.number() }).optional(),
  unit: z.object({
    source: z.string(),
    kind: z.enum(['history', 'hour', 'observation', 'blocks']),
    part: z.string(),
    key: z.string(),
    from: z.number(),
    to: z.number().nullable(),
    params: z.array(z.string()),
  }),
})
/** Replaces the host in the first line, which describes the unit itself. */
const header = 'unit'

/** Collects the raw responses of a unit; `store` writes them to a file, `drop` discards them. */
export type RawKeeper = { keep: (reply: RawReply) => void; store: () => Promise<void>; drop: () => void }

/** The number of characters that the appender holds before DuckDB may spill them to disk. */
const heldLength = 16_000_000

/**
 * Stores the raw responses of a unit as zstd NDJSON, so that a better parser can read them again. They are passed on
 * one by one, since all markets of a venue are gigabytes of responses.
 */
export async function openRaw(lake: Lake, { unit, at, watermark }: RawReading): Promise<RawKeeper> {
  const connection = await lake.writer.connect()
  await connection.run(
    `create temp table lines (n integer, piece integer, host varchar, path varchar, query varchar, method varchar,
       digest varchar, status integer, body varchar)`,
  )
  const appender = await connection.createAppender('lines')
  let n = 0
  let held = 0
  const keep: RawKeeper['keep'] = ({ host, path, query, method, digest, status, body }) => {
    const pieces = body.length <= pieceLength ? [body] : (body.match(piece) ?? [])
    for (const [nth, text] of pieces.entries()) {
      const chunk = DuckDBDataChunk.create(types, 1)
      chunk.setRows([[n, nth, host, path, query, method ?? null, digest ?? null, status, text]])
      appender.appendDataChunk(chunk)
    }
    n += 1
    held += body.length
    if (held > heldLength) {
      appender.flushSync()
      held = 0
    }
  }
  let isOpen = true
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    appender.closeSync()
    connection.closeSync()
  }

  keep({ host: header, path: '', query: '', status: 0, body: JSON.stringify({ unit, at, watermark }) })
  return {
    keep,
    drop: close,
    store: async () => {
      await mkdir(lake.scratch, { recursive: true })
      const file = join(lake.scratch, `${randomUUID()}.ndjson.zst`)
      try {
        appender.flushSync()
        await connection.run(`copy lines to ${literal(file)} (format json, compression zstd)`)
      } finally {
        close()
      }
      await lake.storage.put(rawPath(unit), { file })
    },
  }
}

/** The paths of all raw responses of a source, in order of path. For observations this is the order of time. */
export const listRaw = (lake: Lake, source: string): Promise<string[]> => lake.storage.list(`raw/${source}`)

export async function readRaw(lake: Lake, path: string): Promise<RawUnit> {
  const lines = await withConnection(lake.writer, async (connection) => {
    const reader = await connection.runAndReadAll(
      `from read_json(${literal(lake.storage.locate(path))}, format = 'newline_delimited', compression = 'zstd',
         columns = {n: 'INTEGER', piece: 'INTEGER', host: 'VARCHAR', path: 'VARCHAR', query: 'VARCHAR',
           method: 'VARCHAR', digest: 'VARCHAR', status: 'INTEGER', body: 'VARCHAR'})
       order by n, piece`,
    )
    return z.array(lineShape).parse(reader.getRowObjectsJS())
  })
  const [first, ...replies] = joinPieces(lines)
  if (first?.host !== header)
    throw new Error(`${path}: the first line is not its unit; expected a file of raw responses`)
  return { ...unitShape.parse(JSON.parse(first.body)), replies }
}

function joinPieces(lines: readonly z.infer<typeof lineShape>[]): RawReply[] {
  const replies: RawReply[] = []
  for (const { n, body, method, digest, ...line } of lines) {
    const begun = replies[n]
    const key = { ...(method === null ? {} : { method }), ...(digest === null ? {} : { digest }) }
    if (begun === undefined) replies.push({ ...line, ...key, body })
    else begun.body += body
  }
  return replies
}
