import { DuckDBInstance } from '@duckdb/node-api'

import { parseModel } from '#builder/load.ts'
import type { Model } from '#builder/model.ts'

/** A staging model, and a mart that rests on it. */
export const bidModels: Model[] = [
  parseModel(
    'staging',
    'seen',
    `-- A quote as of the clock.
-- columns: market_id, ts; bid
select market_id, ts, bid from lake.quotes where ts <= (select as_of from core.clock)`,
  ),
  parseModel(
    'marts',
    'bids',
    `-- A market and its bids.
-- columns: market_id; n_bids
select market_id, count(*) as n_bids from staging.seen group by market_id`,
  ),
]

/** A mart of each publish, which rest on the same table; `staging.unused` is read by neither. */
export const models: Model[] = [
  ...bidModels,
  parseModel(
    'staging',
    'unused',
    `-- A quote, whenever it was.
-- columns: market_id, ts
select market_id, ts from lake.quotes`,
  ),
  parseModel(
    'marts',
    'now',
    `-- A market and its last bid.
-- publication: pulse
-- columns: market_id; bid, n_bids
select market_id, arg_max(bid, ts) as bid, count(*) as n_bids from staging.seen group by market_id`,
  ),
]

/** Rows of a select over a DuckDB file, or over none. */
export async function ask(file: string, sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(
    file,
    file === ':memory:' ? { threads: '1' } : { access_mode: 'READ_ONLY', threads: '1' },
  )
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
