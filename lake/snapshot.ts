import { randomUUID } from 'node:crypto'

import { z } from 'zod'

import type { Micros } from './columns.ts'
import type { Storage } from './storage.ts'

/** The file that names the snapshot served now; it is replaced by rename. */
export const pointerPath = 'marts/current.json'
const pointerShape = z.object({ scores: z.string() })

/** A name for a snapshot made now: `20261120T061332Z-c06aec44`. Names sort by the time of publishing. */
export const snapshotId = (now: Micros): string =>
  `${new Date(now / 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${randomUUID().slice(0, 8)}`

/** A snapshot's file: written once, under a name of its own. */
export const snapshotPath = (id: string): string => `marts/${id}.duckdb`

/** The id of the snapshot that is served now; undefined before the first one. */
export async function currentSnapshot(storage: Storage): Promise<string | undefined> {
  const stored = await storage.get(pointerPath)
  return stored === undefined ? undefined : pointerShape.parse(JSON.parse(stored.toString())).scores
}

/**
 * Deletes snapshots that were replaced longer ago than `keep_ms`. A service keeps answering cursors of a replaced
 * snapshot for 15 minutes, so that is the least that makes sense.
 */
export async function sweepSnapshots(storage: Storage, now: Micros, keep_ms: number): Promise<void> {
  const files = (await storage.list('marts')).filter((path) => path.endsWith('.duckdb'))
  const current = await currentSnapshot(storage)
  for (const [index, file] of files.entries()) {
    const replacedBy = files[index + 1]
    // Names of one second, or from before a clock was set back, do not tell which came last; the pointer does.
    if (replacedBy === undefined || (current !== undefined && file === snapshotPath(current))) continue
    if (stampOf(replacedBy) < now / 1000 - keep_ms) await storage.delete(file)
  }
}

const stampOf = (path: string): number => {
  const [, year, month, day, hour, minute, second] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(path) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
}
