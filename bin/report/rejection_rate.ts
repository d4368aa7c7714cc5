import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import { sources as allSources } from '#sources/index.ts'

/** The rate covers this number of the last rows of a source. */
const judgedRows = 2_000
/** A higher share of rejected rows shows that the format of the upstream changed. The parser must be adapted. */
export const failingShare = 0.01

const rowShape = z.object({ source: z.string(), n_rows: z.coerce.number(), n_refused: z.coerce.number() })

/** The number and share of a source's last rows that did not parse. */
export type RejectionRates = { source: string; n_rows: number; n_refused: number; share: number }

/** The sources that read a list again and again, and store its changes alone. */
const observing = allSources.flatMap((source) => (source.unit === 'observation' ? [source.name] : [])).join()

/**
 * The rejected share of the last 2,000 rows that every source read. A source that observes a list is judged by its last
 * reading of each list. Former versions did not count the rows of such a reading, which is not judged.
 */
export async function rejectionRates({ query }: LakeReader): Promise<RejectionRates[]> {
  const rows = await query(
    `with rejected as (
       select dataset, unit, count(*) as n from lake.quarantine group by dataset, unit
     ),
     units as (
       select c.source, c.part, c.dataset, c.checked_at, c.unit, coalesce(r.n, 0) as n_refused,
         list_contains(string_split($observing, ','), c.source) as is_observation,
         coalesce(c.n_read, if(is_observation, null, c.n_rows + n_refused)) as n_read
       from lake.coverage c left join rejected r on r.dataset = c.dataset and r.unit = c.unit
       where c.state <> 'missing'
     ),
     lists as (
       select source, n_read, n_refused from units where is_observation
       qualify row_number() over (partition by source, part, dataset order by checked_at desc, unit desc) = 1
     ),
     judged as (
       select *, coalesce(sum(n_read) over (
         partition by source order by checked_at desc, unit rows between unbounded preceding and 1 preceding
       ), 0) as n_newer
       from units where not is_observation
     ),
     counted as (
       select source, n_read, n_refused from judged where n_newer < ${judgedRows}
       union all
       select source, n_read, n_refused from lists where n_read is not null
     )
     select source, sum(n_read) as n_rows, sum(n_refused) as n_refused from counted group by source order by source`,
    rowShape,
    { observing },
  )
  return rows.map((row) => ({ ...row, share: row.n_rows === 0 ? 0 : row.n_refused / row.n_rows }))
}

/** The sources with more than 1 % of their last rows rejected. */
export const failingSources = async (lake: Lake): Promise<RejectionRates[]> =>
  (await lake.read(rejectionRates)).filter(({ share }) => share > failingShare)
