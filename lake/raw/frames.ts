import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/**
 * The frames of a zstd file, each as a local file of its own, which lasts until the next one. Only so can a large file
 * be read with little memory: DuckDB fills vectors of 2,048 lines of any length.
 */
export async function* framesOf(file: string, scratch: string): AsyncGenerator<string, void> {
  const ends = await frameEnds(file)
  if (ends.length === 1) yield file
  else yield* copiesOf(file, ends, scratch)
}

async function* copiesOf(file: string, ends: readonly number[], scratch: string): AsyncGenerator<string, void> {
  await mkdir(scratch, { recursive: true })
  const frame = join(scratch, `${randomUUID()}.zst`)
  let start = 0
  try {
    for (const end of ends) {
      await pipeline(createReadStream(file, { start, end: end - 1 }), createWriteStream(frame))
      start = end
      yield frame
    }
  } finally {
    await rm(frame, { force: true })
  }
}

/** The position after each frame of a file, by the headers of its blocks (RFC 8878). */
async function frameEnds(file: string): Promise<number[]> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const ends: number[] = []
    for (let at = 0; at < size; at = ends.at(-1) ?? size) ends.push(await frameEnd(handle, at, file))
    if ((ends.at(-1) ?? 0) > size) throw new Error(`${file}: it ends within a frame; expected raw responses`)
    return ends
  } finally {
    await handle.close()
  }
}

const magic = 0xfd2fb528
const n_dictionary = [0, 1, 2, 4]
const n_size = [0, 2, 4, 8]

async function frameEnd(handle: FileHandle, start: number, file: string): Promise<number> {
  const header = Buffer.alloc(5)
  await handle.read(header, 0, 5, start)
  if (header.readUInt32LE(0) !== magic) throw new Error(`${file}: no zstd frame at ${start}; expected raw responses`)
  const flags = header.readUInt8(4)
  const isSingle = (flags & 0x20) !== 0
  const sizeFlag = flags >> 6
  const n_content = sizeFlag === 0 && isSingle ? 1 : (n_size[sizeFlag] ?? 0)
  let at = start + 5 + (isSingle ? 0 : 1) + (n_dictionary[flags & 3] ?? 0) + n_content
  for (;;) {
    const block = Buffer.alloc(3)
    const { bytesRead } = await handle.read(block, 0, 3, at)
    if (bytesRead < 3) throw new Error(`${file}: it ends within a frame; expected raw responses`)
    const word = block.readUIntLE(0, 3)
    // A block of one repeated byte has that byte alone.
    at += 3 + (((word >> 1) & 3) === 1 ? 1 : word >> 3)
    if ((word & 1) === 1) return at + ((flags & 4) === 0 ? 0 : 4)
  }
}
