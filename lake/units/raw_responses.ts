import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import type { Lake } from '#lake/lake.ts'
import { progressPath, type Progress } from '#lake/raw/progress.ts'
import { headerOf, readReading, type RawReading } from '#lake/raw/reading.ts'
import { openSegment, readReplies, type RawReply } from '#lake/raw/segment.ts'

import { rawPath, type Unit } from './unit.ts'

/** The answers that a unit was read from, in their order. */
export type RawUnit = RawReading & { replies: RawReply[] }

/** Collects the raw responses of a unit. Of many at once each is written in the order of the calls. */
export type RawKeeper = {
  keep: (reply: RawReply) => Promise<void>
  /** Writes all responses to the file of the unit. */
  store: () => Promise<void>
  /** Whether the unit has files of its progress. */
  hasProgress: () => boolean
  /** Waits for the last write, and leaves the files of the progress. */
  close: () => Promise<void>
}

/** The characters of bodies in memory, and in one file of the progress of a large unit. */
const fileLength = 16_000_000

/** The progress that a reading continues, and the characters of its files. */
type RawOptions = { begun?: Progress | undefined; most?: number | undefined }

/**
 * Stores the raw responses of a unit as zstd NDJSON, so that a better parser can read them again. They are written as
 * they come, since all markets of a venue are gigabytes of responses. Each 16 million characters become a file of the
 * unit's progress, and in the end one file is made of these.
 */
export async function openRaw(
  lake: Lake,
  reading: RawReading,
  { begun, most = fileLength }: RawOptions = {},
): Promise<RawKeeper> {
  const { unit } = reading
  const { attempt, paths, end } = begun ?? { attempt: randomUUID(), paths: [], end: 0 }
  const written = [...paths]
  let n_first = end
  let segment = openSegment(lake.writer, lake.scratch, n_first)
  if (n_first === 0) segment.add(headerOf(reading))

  const add = async (reply: RawReply): Promise<void> => {
    segment.add(reply)
    if (segment.length() < most) return
    const path = progressPath(unit, attempt, n_first, segment.end())
    n_first = segment.end()
    await lake.storage.put(path, { file: await segment.write() })
    written.push(path)
    segment = openSegment(lake.writer, lake.scratch, n_first)
  }
  let last = Promise.resolve()
  return {
    keep: (reply) => {
      last = last.then(() => add(reply))
      return last
    },
    store: async () => {
      await last
      const rest = await segment.write()
      const file = written.length === 0 ? rest : await joinFiles(lake, written, rest)
      await lake.storage.put(rawPath(unit), { file })
    },
    hasProgress: () => written.length > 0,
    close: async () => {
      await last.catch(() => undefined)
    },
  }
}

/** Keeps no response, and removes those of an earlier reading when the unit is stored. */
export const dropRaw = ({ storage }: Lake, unit: Unit): RawKeeper => ({
  keep: () => Promise.resolve(),
  store: () => storage.delete(rawPath(unit)),
  hasProgress: () => false,
  close: () => Promise.resolve(),
})

/** Joins stored files and a local one, which it removes, to a local file. */
async function joinFiles({ storage, scratch }: Lake, paths: readonly string[], rest: string): Promise<string> {
  const joined = join(scratch, `${randomUUID()}.ndjson.zst`)
  for (const stream of [...paths.map((path) => () => storage.read(path)), () => createReadStream(rest)])
    await pipeline(stream(), createWriteStream(joined, { flags: 'a' }))
  await rm(rest)
  return joined
}

/** The paths of all raw responses of a source, in order of path. For observations this is the order of time. */
export const listRaw = (lake: Lake, source: string): Promise<string[]> => lake.storage.list(`raw/${source}`)

/** The responses of a unit, all in memory. */
export async function readRaw(lake: Lake, path: string): Promise<RawUnit> {
  const { replies, ...reading } = await streamRaw(lake, path)
  const all: RawReply[] = []
  for await (const reply of replies) all.push(reply)
  return { ...reading, replies: all }
}

/** The same, a few at a time. Its caller ends the generator. */
export async function streamRaw(
  lake: Lake,
  path: string,
): Promise<RawReading & { replies: AsyncGenerator<RawReply, void> }> {
  const replies = readReplies(lake.writer, lake.scratch, await lake.storage.localFile(path))
  try {
    const first = await replies.next()
    return { ...readReading(path, first.done === true ? undefined : first.value), replies }
  } catch (error) {
    await replies.return(undefined)
    throw error
  }
}
