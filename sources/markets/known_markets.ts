import { z } from 'zod'

import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

/** The states of a market that has no payout. */
type UnsettledStatus = 'open' | 'paused' | 'closed'

/** The ids of the markets whose last description by a source before an instant has one of the states. */
export async function marketsBefore(
  lake: LakeReader,
  at: Micros,
  { source, statuses }: { source: string; statuses: readonly UnsettledStatus[] },
): Promise<string[]> {
  const rows = await lake.query(
    `select market_id from lake.markets where source = $source and seen_at < $at
     group by market_id having arg_max(status, seen_at) in (${statuses.map((status) => `'${status}'`).join()})
     order by market_id`,
    z.object({ market_id: z.string() }),
    { source, at: time.encode(at) },
    { markets: [`${source}/`] },
  )
  return rows.map(({ market_id }) => market_id)
}

/** The reason why a first list without markets is not believed. */
export const noMarket = 'the list shows no market at all; expected one'
