import { afterEach, beforeEach } from 'vitest'

import { openMarts, type Marts, type Snapshot } from '#snapshots/marts.ts'
import { ofService } from '#snapshots/queries.ts'
import { newMartsDir } from '#test/api/fixture.ts'

/** A folder of snapshots for each test of a file, a clock that the test sets, and the marts that it opens over them. */
export function openedMarts() {
  let held: Awaited<ReturnType<typeof newMartsDir>>
  let marts: Marts | undefined
  const clock = { at: 0 }
  beforeEach(async () => {
    held = await newMartsDir()
    clock.at = Date.UTC(2026, 2, 1, 12, 1) * 1_000
  })
  afterEach(async () => {
    await marts?.close()
    marts = undefined
    await held.remove()
  })
  return {
    clock,
    folder: {
      get dir() {
        return held.dir
      },
      get home() {
        return held.home
      },
    },
    open: async (limit_ms = 600_000, poll_ms = 60_000): Promise<Marts> =>
      (marts = await openMarts({ dir: held.dir, now: () => clock.at, poll_ms, limit_ms })),
  }
}

export const marketsOf = async (snapshot: Snapshot | null | undefined) =>
  (await snapshot?.query('select id from marts.pm_markets order by id'))?.map(({ id }) => id)

/** Asks a snapshot a query that does not end, of a caller that may leave. */
export function askEndlessly(snapshot: Snapshot | null | undefined): { answer: unknown; leave: () => void } {
  const caller = new AbortController()
  const sql = 'select count(*) from range(100000000000) where hash(range) % 7 = 3'
  const answer = snapshot?.query(sql, {}, { ...ofService(), signal: caller.signal })
  return { answer, leave: () => caller.abort() }
}
