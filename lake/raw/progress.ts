import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'

import type { Lake } from '#lake/lake.ts'
import { rawPath, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import { readReading, type RawReading } from './reading.ts'
import { readSegment, type RawReply } from './segment.ts'

/**
 * The responses of a reading that has not ended, in files of some megabytes each. A later attempt continues after them.
 * The name of a file has the attempt that it belongs to, and the numbers of its responses.
 */
export type Progress = {
  /** The attempt that writes further files. */
  attempt: string
  paths: readonly string[]
  /** The number of the next response. */
  end: number
}

const extension = '.ndjson.zst'
const name = /^\.([0-9a-f-]{36})\.(\d{9})-(\d{9})\.ndjson\.zst$/

/** The path of a unit's files, without attempt, numbers and extension. */
const rootOf = (unit: Unit): string => `progress/${rawPath(unit).slice('raw/'.length, -extension.length)}`

const padded = (n: number): string => String(n).padStart(9, '0')

/** The path of the responses from `n_first` to before `end`. */
export const progressPath = (unit: Unit, attempt: string, n_first: number, end: number): string =>
  `${rootOf(unit)}.${attempt}.${padded(n_first)}-${padded(end)}${extension}`

type Found = { path: string; attempt: string; n_first: number; end: number }

async function findFiles({ storage }: Lake, unit: Unit): Promise<Found[]> {
  const root = rootOf(unit)
  const paths = await storage.list(dirname(root))
  return paths.flatMap((path) => {
    const [, attempt, n_first, end] = path.startsWith(root) ? (name.exec(path.slice(root.length)) ?? []) : []
    return attempt === undefined ? [] : [{ path, attempt, n_first: Number(n_first), end: Number(end) }]
  })
}

/** The files of one attempt without a gap from the first response on; of several attempts those with most responses. */
function longest(files: readonly Found[]): Found[] {
  let best: Found[] = []
  for (const attempt of new Set(files.map((file) => file.attempt))) {
    const whole: Found[] = []
    const attemptFiles = files.filter((file) => file.attempt === attempt).toSorted((a, b) => a.n_first - b.n_first)
    for (const file of attemptFiles) if (file.n_first === (whole.at(-1)?.end ?? 0)) whole.push(file)
    if ((whole.at(-1)?.end ?? 0) > (best.at(-1)?.end ?? 0)) best = whole
  }
  return best
}

/** The reading of a unit that was begun and has not ended; undefined without one. */
export async function begunReading(lake: Lake, unit: Unit): Promise<RawReading | undefined> {
  const [first] = longest(await findFiles(lake, unit))
  if (first === undefined) return undefined
  const [header] = await readSegment(lake.writer, await lake.storage.localFile(first.path))
  return readReading(first.path, header)
}

/**
 * Takes the files of the begun reading over for a new attempt, by renaming each. The former attempt, if it still runs,
 * has no further part in them. Undefined if another attempt was faster.
 */
export async function takeProgress(lake: Lake, unit: Unit): Promise<Progress | undefined> {
  const attempt = randomUUID()
  const taken: Found[] = []
  for (const file of longest(await findFiles(lake, unit))) {
    const path = progressPath(unit, attempt, file.n_first, file.end)
    if (!(await lake.storage.move(file.path, path))) break
    taken.push({ ...file, path })
  }
  const last = taken.at(-1)
  return last && { attempt, paths: taken.map(({ path }) => path), end: last.end }
}

/** The responses of a begun reading, one file in memory at a time. */
export async function* repliesOf(lake: Lake, { paths }: Progress): AsyncGenerator<RawReply> {
  for (const [index, path] of paths.entries()) {
    const replies = await readSegment(lake.writer, await lake.storage.localFile(path))
    yield* index === 0 ? replies.slice(1) : replies
  }
}

/** Removes the files of begun readings of a unit. */
export async function dropProgress(lake: Lake, unit: Unit): Promise<void> {
  for (const { path } of await findFiles(lake, unit)) await lake.storage.delete(path)
}

/** Removes files of begun readings that no attempt continued until an instant. */
export async function expireProgress({ storage }: Pick<Lake, 'storage'>, before: Micros): Promise<void> {
  for (const path of await storage.list('progress')) {
    if (((await storage.modifiedAt(path)) ?? before) < before) await storage.delete(path)
  }
}
