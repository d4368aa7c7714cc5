import { z } from 'zod'

import type { Get } from '#ingest/http/request.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import type { RejectedRow, RowsRead } from '#ingest/source.ts'
import { time } from '#lake/columns.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { LakeReader } from '#lake/reader.ts'
import { toSourceValues } from '#lake/units/source_values.ts'
import type { Micros } from '#time.ts'

import { kalshiRequest } from './hosts.ts'
import { kalshiSeries, termsOf, type SeriesTerms } from './wire/market_rows.ts'
import { VENUE } from './wire/types.ts'

const seriesList = z.object({ series: z.array(z.unknown()) })

/** The terms of the venue's series. */
export async function readSeries(
  get: Get,
  { rejected, n_read }: { rejected: RejectedRow[]; n_read: RowsRead },
): Promise<Map<string, SeriesTerms>> {
  const path = '/series'
  const { series } = await get(kalshiRequest(path), seriesList)
  const rows = parseRows(series, kalshiSeries, { dataset: 'markets', path, rejected, n_read })
  return new Map(rows.map((row) => [row.ticker, termsOf(row)]))
}

const storedTerms = z.object({
  series: z.string(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  taker_fee_rate: z.bigint().nullable(),
  maker_fee_rate: z.bigint().nullable(),
})

/** Between two readings of the series, their terms are those of the last stored market of each. */
export async function termsBefore(lake: LakeReader, at: Micros): Promise<Map<string, SeriesTerms>> {
  const { category, tags, taker_fee_rate, maker_fee_rate } = datasets.markets.columns
  const columns = { category, tags, taker_fee_rate, maker_fee_rate }
  const rows = await lake.query(
    `select distinct on (series) split_part(market_id[${VENUE.length + 2}:], '-', 1) as series, ${toSourceValues({ columns })}
     from lake.markets where source = 'kalshi_markets' and seen_at < $at
     order by series, seen_at desc, market_id desc`,
    storedTerms,
    { at: time.encode(at) },
    { markets: ['kalshi_markets/'] },
  )
  return new Map(rows.map(({ series, ...terms }) => [series, terms]))
}
