import { z } from 'zod'

import type { Storage } from './storage.ts'

/** The file that names the snapshot served now; it is replaced by rename. */
export const pointerPath = 'marts/current.json'
const pointerShape = z.object({ scores: z.string() })

/** A snapshot's file: written once, under a name of its own. */
export const snapshotPath = (id: string): string => `marts/${id}.duckdb`

/** The id of the snapshot that is served now; undefined before the first one. */
export async function currentSnapshot(storage: Storage): Promise<string | undefined> {
  const stored = await storage.get(pointerPath)
  return stored === undefined ? undefined : pointerShape.parse(JSON.parse(stored.toString())).scores
}
