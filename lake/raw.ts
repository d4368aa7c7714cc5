import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { INTEGER, VARCHAR, DuckDBDataChunk } from '@duckdb/node-api'
import { z } from 'zod'

import { literal, withConnection } from './duckdb.ts'
import type { Lake } from './lake.ts'
import { rawPath, type Unit } from './unit.ts'

/** One answer of an upstream, as it came. `query` is the canonical query string. */
export type RawReply = { host: string; path: string; query: string; status: number; body: string }

const columns = ['host', 'path', 'query', 'status', 'body'] as const
const replyShape = z.object({
  host: z.string(),
  path: z.string(),
  query: z.string(),
  status: z.number(),
  body: z.string(),
})

/** Keeps the answers that a unit was read from, as zstd NDJSON: upstreams forget, and parsers improve. */
export async function storeRaw(lake: Lake, unit: Unit, replies: readonly RawReply[]): Promise<void> {
  await mkdir(lake.scratch, { recursive: true })
  const file = join(lake.scratch, `${randomUUID()}.ndjson.zst`)
  await withConnection(lake.instance, async (connection) => {
    await connection.run(
      'create temp table replies (n integer, host varchar, path varchar, query varchar, status integer, body varchar)',
    )
    const appender = await connection.createAppender('replies')
    // One row a chunk: a body is megabytes, and the appender copies.
    for (const [n, reply] of replies.entries()) {
      const chunk = DuckDBDataChunk.create([INTEGER, VARCHAR, VARCHAR, VARCHAR, INTEGER, VARCHAR], 1)
      chunk.setRows([[n, ...columns.map((name) => reply[name])]])
      appender.appendDataChunk(chunk)
    }
    appender.closeSync()
    await connection.run(
      `copy (select ${columns.join(', ')} from replies order by n) to ${literal(file)} (format json, compression zstd)`,
    )
  })
  await lake.storage.put(rawPath(unit), { file })
}

/** The answers that a unit was read from, in their order; undefined where none were kept. */
export async function readRaw(lake: Lake, unit: Unit): Promise<RawReply[] | undefined> {
  const path = rawPath(unit)
  if ((await lake.storage.get(path)) === undefined) return undefined
  return withConnection(lake.instance, async (connection) => {
    const reader = await connection.runAndReadAll(
      `select * from read_json(${literal(lake.storage.locate(path))}, format = 'newline_delimited', compression = 'zstd',
         maximum_object_size = 134217728,
         columns = {host: 'VARCHAR', path: 'VARCHAR', query: 'VARCHAR', status: 'INTEGER', body: 'VARCHAR'})`,
    )
    return z.array(replyShape).parse(reader.getRowObjectsJS())
  })
}
