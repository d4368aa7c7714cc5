import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { etagOf, type Storage } from '#storage/storage.ts'
import type { Micros } from '#time.ts'

const positionShape = z.object({
  /** Where the upstream is to continue; null: nothing came so far. */
  cursor: z.string().nullable(),
  /** The latest instant of an event; null: nothing came so far. */
  at: z.number().nullable(),
  /** Counts the runs that took the stream over. */
  run: z.number(),
})

/** How far a stream is stored. */
export type StreamPosition = { cursor: string | null; at: Micros | null }

/** A stream as one run holds it, until another run takes it over. */
export type HeldStream = {
  position: StreamPosition
  /** Throws a {@link StreamTaken} where another run has taken the stream over. */
  assertHeld: () => Promise<void>
  /** Stores a position after all rows before it. It throws as `assertHeld` does. */
  store: (position: StreamPosition) => Promise<void>
}

/** Another run reads the stream now: the rows of this one are older, and must not replace those that it stores. */
class StreamTaken extends Error {
  constructor(path: string) {
    super(`${path}: another run took the stream over; expected one run a part`)
    this.name = 'StreamTaken'
  }
}

/** Takes a stream over from the run that had it. */
export async function holdStream({ storage }: Lake, source: string, part: string): Promise<HeldStream> {
  const path = `streams/${source}/${part}.json`
  // The run that has it may store a position at the same moment.
  for (;;) {
    const stored = await storage.get(path)
    const before = stored && positionShape.parse(JSON.parse(stored.toString()))
    const position: StreamPosition = { cursor: before?.cursor ?? null, at: before?.at ?? null }
    const run = (before?.run ?? 0) + 1
    const body = Buffer.from(JSON.stringify({ ...position, run }))
    if (await storage.putIfMatch(path, body, stored === undefined ? null : etagOf(stored)))
      return { position, ...heldBy(storage, path, run, body) }
  }
}

function heldBy(storage: Storage, path: string, run: number, held: Buffer): Omit<HeldStream, 'position'> {
  let etag = etagOf(held)
  return {
    assertHeld: async () => {
      const now = await storage.get(path)
      if (now === undefined || etagOf(now) !== etag) throw new StreamTaken(path)
    },
    store: async (next) => {
      const body = Buffer.from(JSON.stringify({ ...next, run }))
      if (!(await storage.putIfMatch(path, body, etag))) throw new StreamTaken(path)
      etag = etagOf(body)
    },
  }
}
