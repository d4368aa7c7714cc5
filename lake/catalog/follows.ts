import { sql } from 'kysely'

import type { Micros } from '#time.ts'

import type { Catalog } from './catalog.ts'
import type { CatalogTables } from './tables.ts'

/** A source of a part as its follow reads it. */
export type FollowedRound = {
  source: string
  part: string
  /** Seconds of the machine between two rounds. */
  every_s: number
  /** The instant of the last round; null before the first. */
  reached: Micros | null
  /** The last rounds without an answer of the upstream, and the reason of the last one. */
  failed_rounds: number
  fault: string | null
}

/** A followed source of a part, as the catalog has it. */
export type Followed = CatalogTables['tapeline_follows']

type Follows = Pick<Catalog, 'db'>

/** Stores the state of followed parts. A round was answered when the first call that has its instant comes. */
export async function noteRounds({ db }: Follows, rounds: readonly FollowedRound[], now_ms: number): Promise<void> {
  if (rounds.length === 0) return
  await db
    .insertInto('tapeline_follows')
    .values(
      rounds.map((round) => ({
        ...round,
        began_ms: now_ms,
        seen_ms: now_ms,
        read_ms: round.reached === null || round.failed_rounds > 0 ? null : now_ms,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['source', 'part']).doUpdateSet((eb) => ({
        every_s: eb.ref('excluded.every_s'),
        seen_ms: eb.ref('excluded.seen_ms'),
        reached: eb.ref('excluded.reached'),
        failed_rounds: eb.ref('excluded.failed_rounds'),
        fault: eb.ref('excluded.fault'),
        read_ms: sql<number | null>`case when excluded.read_ms is null or excluded.reached = tapeline_follows.reached
          then tapeline_follows.read_ms else excluded.read_ms end`,
      })),
    )
    .execute()
}

/**
 * Notes that an upstream has answered within a round of a follow, which may take long. Sources of the same follow wait
 * for their turn meanwhile; those whose last round has failed are not answered by that.
 */
export async function noteAnswered(
  { db }: Follows,
  { source, part, waiting }: { source: string; part: string; waiting: readonly string[] },
  now_ms: number,
): Promise<void> {
  await db
    .updateTable('tapeline_follows')
    .set({ read_ms: now_ms })
    .where('part', '=', part)
    .where((eb) =>
      eb.or([
        eb('source', '=', source),
        eb.and([eb('source', 'in', [source, ...waiting]), eb('failed_rounds', '=', 0)]),
      ]),
    )
    .execute()
}

/** The followed parts, by source and part. A follow that was killed has left its own. */
export const readFollows = ({ db }: Follows): Promise<Followed[]> =>
  db.selectFrom('tapeline_follows').selectAll().orderBy('source').orderBy('part').execute()

/** Forgets the followed parts: at the end of a follow, and before another one begins. */
export async function forgetFollows({ db }: Follows): Promise<void> {
  await db.deleteFrom('tapeline_follows').execute()
}
