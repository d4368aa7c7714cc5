import { z } from 'zod'

import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import { SECOND, type Micros } from '#time.ts'

/**
 * The instant of the last reading before this one that was stored, and a minute before it, since an upstream may serve
 * a copy and its clock may differ; 0 without one. A reading with a gap in `subject` does not count.
 */
export async function lastReading(
  lake: LakeReader,
  { source, part, from }: Unit,
  subject: string | null = null,
): Promise<Micros> {
  const [last] = await lake.query(
    `select max(epoch_us(from_at)) as at from lake.coverage where source = $source and dataset = 'posts'
       and state not in ('missing', 'unavailable') and from_at < $from
       and not coalesce(list_contains(gaps->>'$[*].subject', $subject::varchar), false)`,
    z.object({ at: z.bigint().nullable() }),
    { source, from: time.encode(from), subject },
    { coverage: [`${source}/${part}/`] },
  )
  return last?.at === null || last === undefined ? 0 : Number(last.at) - 60 * SECOND
}
