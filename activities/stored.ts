import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { coveragePath, type Unit } from '#lake/unit.ts'

const entryShape = z.object({ dataset: z.string(), state: z.string(), n_rows: z.number() })

/** What coverage says of a unit that was read, of one dataset. */
type StoredEntry = z.infer<typeof entryShape>

/** The entries of a unit whose upstream has told something of it; none where it could not be read so far. */
export async function storedEntries({ storage }: Lake, unit: Unit): Promise<StoredEntry[]> {
  const body = await storage.get(coveragePath(unit))
  const lines = body?.toString().trim().split('\n') ?? []
  return lines
    .map((line) => entryShape.parse(JSON.parse(line)))
    .filter(({ state }) => state !== 'missing' && state !== 'unavailable')
}
