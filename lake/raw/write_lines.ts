import { writeFile } from 'node:fs/promises'
import * as zlib from 'node:zlib'

import { blobValue, type DuckDBInstance } from '@duckdb/node-api'

import { literal, withConnection } from '#storage/duckdb.ts'

/** Node has it from 22.15 on. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: (text: Uint8Array) => Buffer }

/**
 * Writes lines as one local file, a frame of zstd. Node compresses with half of the CPU that DuckDB takes, which copies
 * the text several times. Its asynchronous compression takes as much as DuckDB. This one holds the thread about twice
 * as long as parsing the text does.
 */
export async function writeLines(instance: DuckDBInstance, file: string, lines: Iterable<string>): Promise<void> {
  const text = textOf(lines)
  if (zstdCompressSync === undefined) await writeByDuckDB(instance, file, text)
  else await writeFile(file, zstdCompressSync(text))
}

/** DuckDB compresses the text alone: its own JSON takes twice the CPU. It takes a copy, since it reads later. */
export async function writeByDuckDB(instance: DuckDBInstance, file: string, text: Uint8Array): Promise<void> {
  const copy = `copy (select $1::blob) to ${literal(file)} (format blob, compression zstd)`
  const blob = blobValue(new Uint8Array(text))
  await withConnection(instance, (connection) => connection.run(copy, [blob]))
}

/** New memory for each text costs more than its bytes. The system gives the pages of this as they are first used. */
const shared = Buffer.allocUnsafeSlow(32 * 1024 * 1024)
/** The most bytes of a character. */
const characterBytes = 3
const newline = 10

/** The bytes of the lines, until the next call. */
function textOf(lines: Iterable<string>): Buffer {
  let text = shared
  let size = 0
  for (const line of lines) {
    const most = size + characterBytes * line.length + 1
    if (most > text.length) text = Buffer.concat([text.subarray(0, size)], 2 * most)
    size += text.write(line, size)
    text[size] = newline
    size += 1
  }
  return text.subarray(0, size)
}
