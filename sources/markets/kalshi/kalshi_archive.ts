import { z } from 'zod'

import { parseRows } from '#ingest/parse/rows.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult } from '#ingest/source.ts'
import { inPathOrder, unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { isoMicros } from '#time.ts'

import { kalshiHost, kalshiRequest } from './hosts.ts'
import { kalshiPages, readCutoffs } from './wire/paging.ts'
import { openSettled } from './wire/settled_rows.ts'
import { nativeId, ticker, VENUE } from './wire/types.ts'

const source = { name: 'kalshi_archive', unit: 'history', part: VENUE } as const

export const kalshiArchive = defineSource({
  name: source.name,
  doc:
    'Markets that settled before the venue’s cutoff, some three months ago, by series: ' +
    '`/historical/markets?series_ticker=`, cursors followed to their end. The archive has no filter by time, so each ' +
    'unit is all of a series. `/series` lists the series. Only a backfill that names this source reads it. ' +
    '`kalshi_settlements` has later settlements.',
  parts: [{ name: VENUE, upstreams: [kalshiHost] }],
  datasets: ['resolutions', 'markets'],
  unit: source.unit,
  keyForm: ticker,
  isEndless: true,
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s: 300,
  follow: null,
  typical: { requests: 2, rows: 300, bytes: 700_000 },
  plan,
  read,
})

const seriesList = z.object({ series: z.array(z.unknown()) })
const named = z.object({ ticker })

/** Every series of the venue, or the requested ones. */
async function plan({ get, keys }: PlanContext): Promise<Unit[]> {
  if (keys.length > 0) return keys.map((key) => unitOf(source, { key: ticker.parse(nativeId(key)), from: 0 }))
  const { series } = await get(kalshiRequest('/series'), seriesList)
  // A series without a ticker has no list of markets.
  const listed = parseRows(series, named, { dataset: 'markets', path: '/series', rejected: [] })
  return inPathOrder(listed.map(({ ticker: key }) => unitOf(source, { key, from: 0 })))
}

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const { get } = context
  const path = '/historical/markets'
  const settled = openSettled(context, { path })
  let pages = 0
  const query = { series_ticker: unit.key, mve_filter: 'exclude' }
  for await (const page of kalshiPages(get, path, { field: 'markets', ...query })) {
    pages += 1
    await settled.add(page)
  }
  const n_settled = await settled.end()
  const { market_settled_ts: cutoff } = await readCutoffs(get)
  return {
    rows: { resolutions: [], markets: [] },
    rejected: settled.rejected,
    state: 'growing',
    reason: `the archive grows; markets settled before ${isoMicros(cutoff)} are in it`,
    proof: `cursors followed to their end, ${pages} pages: ${n_settled} settlements`,
  }
}
