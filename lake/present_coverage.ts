import { isoMicros, lastPresent, type Micros } from '#time.ts'

import type { LakeReader } from './reader.ts'

/**
 * A reader for plans, to which a reading of the future is none: its unit is `missing`, and its reading is of 1970. A
 * clock that was ahead claims rows that no upstream could show, so the unit is read again in whole. A range of blocks
 * keeps its state, which is of the chain's clock.
 */
export const withoutFuture = (reader: LakeReader, now: Micros): LakeReader => ({
  query: (sql, ...rest) => reader.query(sql.replaceAll('lake.coverage', `(${presentCoverage(now)})`), ...rest),
})

/** The SQL condition of a coverage entry whose reading is of the future. */
export const ofFuture = (now: Micros): string =>
  `checked_at > timestamp '${isoMicros(lastPresent(now))}' and to_block is null and state not in ('missing', 'expired')`

const presentCoverage = (now: Micros): string => `select * replace (
    if(${ofFuture(now)}, 'missing', state) as state,
    if(${ofFuture(now)}, timestamp '1970-01-01', checked_at) as checked_at
  ) from lake.coverage`
