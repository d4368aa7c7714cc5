import type { Lake } from '#lake/lake.ts'
import type { Micros } from '#time.ts'

/** The position up to which a stream is stored. */
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
  constructor(stream: string) {
    super(`${stream}: another run took the stream over; expected one run a part`)
    this.name = 'StreamTaken'
  }
}

/** Takes a stream over from the run that had it. */
export async function holdStream({ catalog: { db } }: Lake, source: string, part: string): Promise<HeldStream> {
  const { run, ...position } = await db
    .insertInto('tapeline_streams')
    .values({ source, part, run: 1, cursor: null, at: null })
    .onConflict((conflict) =>
      conflict.columns(['source', 'part']).doUpdateSet((eb) => ({ run: eb('tapeline_streams.run', '+', 1) })),
    )
    .returning(['run', 'cursor', 'at'])
    .executeTakeFirstOrThrow()
  const stream = { source, part, run }
  return {
    position,
    assertHeld: async () => {
      const held = db
        .selectFrom('tapeline_streams')
        .select('run')
        .where((eb) => eb.and(stream))
      if ((await held.executeTakeFirst()) === undefined) throw new StreamTaken(`${source}/${part}`)
    },
    store: async (next) => {
      const stored = db
        .updateTable('tapeline_streams')
        .set(next)
        .where((eb) => eb.and(stream))
        .returning('run')
      if ((await stored.executeTakeFirst()) === undefined) throw new StreamTaken(`${source}/${part}`)
    },
  }
}
