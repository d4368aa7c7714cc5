import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'

/** A unit whose coverage is missing, unverified, quarantined or unavailable, or of which a reading was refused. */
export type Gap = { source: string; unit: string; state: string; reason: string | null; checked_at: string }

const rowShape = z.object({
  source: z.string(),
  unit: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  checked_at: z.date(),
})

/** Every stored unit that is not complete, or of which a reading was refused, once, by source and unit. */
export async function gapsOf(lake: Lake): Promise<Gap[]> {
  const rows = await lake.read(({ query }) =>
    query(
      `select source, unit, arg_min(state, dataset) as state, arg_min(reason, dataset) as reason,
         max(checked_at) as checked_at
       from lake.coverage
       where state in ('missing', 'unverified', 'quarantined', 'unavailable') or reason_code = 'refused'
       group by source, unit order by source, unit`,
      rowShape,
    ),
  )
  return rows.map((row) => ({ ...row, checked_at: row.checked_at.toISOString() }))
}
