import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'

import { literal, withConnection } from '#storage/duckdb.ts'

import { framesOf } from './frames.ts'
import { writeLines } from './write_lines.ts'

/**
 * One raw response of an upstream, as it came, and the request that it answers: `query` is the canonical query string,
 * `digest` that of the request's body. A GET without a body has neither `method` nor `digest`.
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

/** Collects replies, and writes them as one file of zstd NDJSON. Such files may be joined end to end. */
export type Segment = {
  add: (reply: RawReply) => void
  /** The characters of the bodies so far. */
  length: () => number
  /** The number after that of the last reply. */
  end: () => number
  /** Writes a local file, and returns its path. */
  write: () => Promise<string>
}

/**
 * Bodies are split into lines of at most a million characters: DuckDB reads lines into buffers of twice the longest
 * expected line, one buffer a thread.
 */
const pieceLength = 1_000_000
const piece = new RegExp(`[^]{1,${pieceLength}}`, 'gu')

/**
 * Replies are numbered from `n_first` on. All of them are in memory until they are written, so their caller writes in
 * time.
 */
export function openSegment(instance: DuckDBInstance, scratch: string, n_first: number): Segment {
  const replies: RawReply[] = []
  let length = 0
  return {
    add: (reply) => {
      replies.push(reply)
      length += reply.body.length
    },
    length: () => length,
    end: () => n_first + replies.length,
    write: async () => {
      await mkdir(scratch, { recursive: true })
      const file = join(scratch, `${randomUUID()}.ndjson.zst`)
      await writeLines(instance, file, linesOf(replies, n_first))
      return file
    },
  }
}

function* linesOf(replies: readonly RawReply[], n_first: number): Generator<string, void> {
  for (const [index, { host, path, query, method, digest, status, body }] of replies.entries()) {
    const pieces = body.length <= pieceLength ? [body] : (body.match(piece) ?? [])
    for (const [nth, text] of pieces.entries()) {
      // DuckDB reads no half of a surrogate pair, which JSON writes as an escape.
      const wellFormed = text.toWellFormed()
      yield JSON.stringify({
        n: n_first + index,
        piece: nth,
        host,
        path,
        query,
        method,
        digest,
        status,
        body: wellFormed,
      })
    }
  }
}

/** The replies of a local file of any size. Those of one flush are in memory at a time. */
export async function* readReplies(
  instance: DuckDBInstance,
  scratch: string,
  file: string,
): AsyncGenerator<RawReply, void> {
  for await (const frame of framesOf(file, scratch)) yield* await readSegment(instance, frame)
}

/** The replies of a local file of one flush, in their order. */
export async function readSegment(instance: DuckDBInstance, file: string): Promise<RawReply[]> {
  return withConnection(instance, async (connection) => {
    const lines = await connection.stream(
      `from read_json(${literal(file)}, format = 'newline_delimited', compression = 'zstd',
         columns = {n: 'INTEGER', piece: 'INTEGER', host: 'VARCHAR', path: 'VARCHAR', query: 'VARCHAR',
           method: 'VARCHAR', digest: 'VARCHAR', status: 'INTEGER', body: 'VARCHAR'})
       union all select ${last_n}, 0, '', '', '', null, null, 0, ''
       order by n, piece`,
    )
    const replies: RawReply[] = []
    let last: number | undefined
    for (let chunk = await lines.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await lines.fetchChunk()) {
      for (const { n, reply } of chunk.getRows().map(lineOf)) {
        const begun = n === last ? replies.at(-1) : undefined
        if (begun !== undefined) begun.body += reply.body
        else if (n !== last_n) replies.push(reply)
        last = n
      }
      chunk.reset()
    }
    if (last !== last_n) throw new Error(`${file}: the stream of its replies ended early; expected all of them`)
    return replies
  })
}

/**
 * The number of a last line, which no reply has: DuckDB ends a stream that fails after its first chunk like a complete
 * one.
 */
const last_n = 2_147_483_647

const maybe = z.string().nullable()
/**
 * Number, piece, host, path, query, method, digest, status and body. Files of earlier versions lack method and digest.
 */
const lineShape = z.tuple([
  z.number(),
  z.number(),
  z.string(),
  z.string(),
  z.string(),
  maybe,
  maybe,
  z.number(),
  z.string(),
])

/** A line: a reply, or the next piece of its body. */
type Line = { n: number; reply: RawReply }

function lineOf(row: readonly unknown[]): Line {
  const [n, , host, path, query, method, digest, status, body] = lineShape.parse(row)
  const key = { ...(method === null ? {} : { method }), ...(digest === null ? {} : { digest }) }
  return { n, reply: { host, path, query, ...key, status, body } }
}
