import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import type { Storage } from '#storage/storage.ts'

/** A data file of a lake by its path, with the SHA-256 of its bytes. */
export type DataFile = { path: string; digest: string; bytes: number }

type Copy = {
  source: Storage
  target: Storage
  /** A local folder for unfinished files. */
  scratch: string
}

/**
 * Copies data files, and compares the digest of each. The name of a file follows from its bytes: a file that is there
 * is not copied again. Data files that are not listed go.
 */
export async function copyData(copy: Copy, files: readonly DataFile[], onFile: () => void): Promise<void> {
  const named = new Set(files.map(({ path }) => path))
  const present = new Set(await copy.target.list('lake'))
  for (const path of present) if (!named.has(path)) await copy.target.delete(path)
  for (const { path, digest } of files) {
    if (!present.has(path)) await copyFile(copy, path, digest)
    onFile()
  }
}

/** Copies the raw responses that the target lacks, or has from before. A reading may replace some meanwhile. */
export async function copyRaw(copy: Copy): Promise<number> {
  const paths = await copy.source.list('raw')
  const [listed, present] = [new Set(paths), await copy.target.list('raw')]
  for (const path of present) if (!listed.has(path)) await copy.target.delete(path)
  for (const path of paths) {
    const [at, copiedAt] = [await copy.source.modifiedAt(path), await copy.target.modifiedAt(path)]
    if (at !== undefined && (copiedAt ?? Number.NEGATIVE_INFINITY) < at) await copyIfThere(copy, path)
  }
  return paths.length
}

/** Copies a file that may go at any moment. Returns whether it is there. */
export async function copyIfThere(copy: Copy, path: string): Promise<boolean> {
  try {
    await copyFile(copy, path)
    return true
  } catch (error) {
    if (await copy.source.has(path)) throw error
    return false
  }
}

/** Copies a file as a whole. Throws if it is missing, or if its digest is another one. */
async function copyFile({ source, target, scratch }: Copy, path: string, digest?: string): Promise<void> {
  if (digest !== undefined && !(await source.has(path))) throw damaged(path, 'missing')
  await mkdir(scratch, { recursive: true })
  const file = join(scratch, randomUUID())
  const hash = createHash('sha256')
  const hashed = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(source.read(path), hashed, createWriteStream(file))
  if (digest !== undefined && hash.digest('hex') !== digest) throw damaged(path, 'changed')
  await target.put(path, { file })
}

const damaged = (path: string, problem: string): Error =>
  new Error(`${path}: ${problem}; expected as it was stored: \`tapeline repair\` sets it aside`)
