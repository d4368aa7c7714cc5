import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { etagOf, type Storage } from '#storage/storage.ts'
import type { Micros } from '#time.ts'

import { publishes, type Publish } from './publications.ts'

/** The file that names the snapshots served now, `{"scores": "<id>", "pulse": "<id>"}`; it is replaced whole. */
export const pointerPath = 'marts/current.json'
const pointerShape = z.record(z.string(), z.string())

/** A snapshot that was replaced answers its cursors for this long: no sweep takes it before. */
export const cursorLife_ms = 15 * 60_000

/** A name for a snapshot made now: `pulse-20261120T061332Z-c06aec44`. Names of a publish sort by their time. */
export const snapshotId = (publish: Publish, now: Micros): string =>
  `${publish}-${new Date(now / 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${randomUUID().slice(0, 8)}`

/** The publish that a snapshot is of. Before there were two, scores were all there was, and their names told no more. */
export const publishOf = (id: string): Publish => publishes.find((publish) => id.startsWith(`${publish}-`)) ?? 'scores'

/** A snapshot's file: written once, under a name of its own. */
export const snapshotPath = (id: string): string => `marts/${id}.duckdb`

/** The id of a publish's snapshot that is served now; undefined before the first one. */
export async function currentSnapshot(storage: Storage, publish: Publish = 'scores'): Promise<string | undefined> {
  return (await readPointer(storage)).ids[publish]
}

/** Makes a snapshot the current one of its publish. Another publisher may be doing the same for the other one. */
export async function pointTo(storage: Storage, id: string): Promise<void> {
  for (;;) {
    const { ids, etag } = await readPointer(storage)
    const body = Buffer.from(JSON.stringify({ ...ids, [publishOf(id)]: id }))
    if (await storage.putIfMatch(pointerPath, body, etag)) return
    await sleep(5)
  }
}

async function readPointer(storage: Storage): Promise<{ ids: Record<string, string>; etag: string | null }> {
  const stored = await storage.get(pointerPath)
  if (stored === undefined) return { ids: {}, etag: null }
  return { ids: pointerShape.parse(JSON.parse(stored.toString())), etag: etagOf(stored) }
}

/** Deletes a publish's snapshots that were replaced longer ago than `keep_ms`, at least `cursorLife_ms`. */
export async function sweepSnapshots(
  storage: Storage,
  { publish, now, keep_ms }: { publish: Publish; now: Micros; keep_ms: number },
): Promise<void> {
  const current = await currentSnapshot(storage, publish)
  const files = (await storage.list('marts'))
    .map((path) => ({ path, id: /^marts\/(.*)\.duckdb$/.exec(path)?.[1] ?? '' }))
    .filter(({ id }) => !Number.isNaN(stampOf(id)) && publishOf(id) === publish)
    .toSorted((a, b) => stampOf(a.id) - stampOf(b.id))
  for (const [index, { path, id }] of files.entries()) {
    const replacedBy = files[index + 1]
    // Names of one second, or from before a clock was set back, do not tell which came last; the pointer does.
    if (replacedBy === undefined || id === current) continue
    if (stampOf(replacedBy.id) < now / 1000 - keep_ms) await storage.delete(path)
  }
}

/** When a snapshot was made, by its name; NaN of what is none. */
const stampOf = (id: string): number => {
  const [, year, month, day, hour, minute, second] =
    /^(?:[a-z]+-)?(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(id) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
}
