import { z } from 'zod'

import type { Get } from '#activities/http/request.ts'
import { isChange, isFirstOfDay, lastRows, type StoredRow } from '#activities/ingest/change_rows.ts'
import { absentFields, assertNoneLost, lostColumns } from '#activities/ingest/lost_columns.ts'
import { unitOf } from '#activities/ingest/units.ts'
import { parseRows } from '#activities/parse/rows.ts'
import {
  defineSource,
  type PlanContext,
  type PullContext,
  type PullResult,
  type RejectedRow,
} from '#activities/source.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import { gridInstant, type Micros } from '#time.ts'

import { kalshiHost, kalshiRequest } from './hosts.ts'
import {
  describeMarket,
  isCombo,
  kalshiMarket,
  kalshiSeries,
  isSettled,
  termsOf,
  unknownTerms,
  usualFields,
  type KalshiMarket,
  type SeriesTerms,
} from './wire/market_rows.ts'
import { kalshiPages, TICKERS_PER_REQUEST } from './wire/paging.ts'
import { idOf, nativeId, seriesOf, VENUE } from './wire/types.ts'

const GRID_S = 300
/** Of the filter. Closed markets come last, so that a market that closes in between has its later state. */
const UNSETTLED = ['unopened', 'paused', 'open', 'closed']

const source = { name: 'kalshi_markets', unit: 'observation', part: VENUE } as const

export const kalshiMarkets = defineSource({
  name: source.name,
  doc:
    'Every market that is not settled: `/markets?status=` with `unopened`, `paused`, `open` and `closed`, combinations ' +
    'of markets excluded, cursors followed to their end. Markets that were unsettled before are read by their tickers, ' +
    'and by `/historical/markets` if they are in the archive by now. The first observation of a UTC day reads ' +
    '`/series` for categories, tags and fees. A row is stored on a change. The venue names no start of an event.',
  parts: [{ name: VENUE, upstreams: [kalshiHost] }],
  datasets: ['markets'],
  unit: source.unit,
  precedence: 20,
  lag_s: 0,
  settle_s: 0,
  grid_s: GRID_S,
  follow: { group: 'histories' },
  typical: { requests: 250, rows: 5_000, bytes: 400_000_000 },
  plan,
  pull,
})

async function plan({ lake, at, keys }: PlanContext): Promise<Unit[]> {
  const from = gridInstant(at, GRID_S)
  const isFirst = keys.length > 0 || (await isFirstOfDay(lake, source, from))
  return [unitOf(source, { from, to: from, params: isFirst ? ['series'] : [] })]
}

type Reading = { markets: Map<string, KalshiMarket>; rejected: RejectedRow[]; pages: number }

async function pull(unit: Unit, { get, lake }: PullContext): Promise<PullResult> {
  const reading: Reading = { markets: new Map(), rejected: [], pages: 0 }
  for (const status of UNSETTLED) await read(get, '/markets', { status, mve_filter: 'exclude' }, reading)
  const listed = new Set(reading.markets.keys())
  const before = await unsettledBefore(lake, unit.from)
  const gone = before.filter((ticker) => !listed.has(ticker))
  for (const path of ['/markets', '/historical/markets']) {
    const left = gone.filter((ticker) => !reading.markets.has(ticker))
    for (let start = 0; start < left.length; start += TICKERS_PER_REQUEST) {
      await read(get, path, { tickers: left.slice(start, start + TICKERS_PER_REQUEST).join() }, reading)
    }
  }
  const unsettled = [...reading.markets.values()].filter((market) => !listed.has(market.ticker) && !isSettled(market))
  const n_unread = gone.filter((ticker) => !reading.markets.has(ticker)).length
  const isCut = unsettled.length + n_unread > Math.max(5, 0.05 * before.length)
  const reason = isCut
    ? `${unsettled.length} markets are not settled and not listed, and ${n_unread} known ones are not shown at all`
    : null
  const terms = unit.params.includes('series') ? await readSeries(get, reading.rejected) : null
  return {
    rows: { markets: await changedRows(lake, unit.from, [...reading.markets.values()], terms) },
    rejected: reading.rejected,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
    proof:
      `cursors followed to their end, ${reading.pages} pages: ${listed.size} unsettled markets; ` +
      `${reading.markets.size - listed.size} of ${gone.length} that were unsettled before read by ticker`,
  }
}

async function read(get: Get, path: string, query: Record<string, string>, reading: Reading): Promise<void> {
  for await (const page of kalshiPages(get, path, { field: 'markets', ...query })) {
    reading.pages += 1
    for (const market of parseRows(page, kalshiMarket, { dataset: 'markets', path, rejected: reading.rejected })) {
      if (!isCombo(market)) reading.markets.set(market.ticker, market)
    }
  }
}

/** The tickers of markets that are not settled in the lake. */
async function unsettledBefore(lake: LakeReader, at: Micros): Promise<string[]> {
  const rows = await lake.query(
    `select market_id from lake.markets where source = '${source.name}' and seen_at < $at
     group by market_id having arg_max(status, seen_at) <> 'resolved' order by market_id`,
    z.object({ market_id: z.string() }),
    { at: time.encode(at) },
    { markets: [`${source.name}/`] },
  )
  return rows.map(({ market_id }) => nativeId(market_id))
}

const seriesList = z.object({ series: z.array(z.unknown()) })

async function readSeries(get: Get, rejected: RejectedRow[]): Promise<Map<string, SeriesTerms>> {
  const path = '/series'
  const { series } = await get(kalshiRequest(path), seriesList)
  const rows = parseRows(series, kalshiSeries, { dataset: 'markets', path, rejected })
  return new Map(rows.map((row) => [row.ticker, termsOf(row)]))
}

async function changedRows(
  lake: LakeReader,
  at: Micros,
  markets: readonly KalshiMarket[],
  series: ReadonlyMap<string, SeriesTerms> | null,
): Promise<NonNullable<PullResult['rows']['markets']>> {
  const market_ids = markets.map(({ ticker }) => idOf(ticker))
  const stored = { source: source.name, dataset: 'markets', instant: 'seen_at', before: at, market_ids } as const
  const last = await lastRows(lake, stored)
  const terms = series ?? termsBefore(last)
  const described = markets.map((market) =>
    describeMarket(market, terms.get(seriesOf(market.ticker)) ?? unknownTerms, at),
  )
  assertNoneLost('/markets', [...absentFields(markets, usualFields), ...lostColumns('markets', described, last)])
  return described.filter((row) => isChange('markets', row, last.get(row.market_id), 'seen_at'))
}

const storedTerms = z.object({
  category: z.string().nullable(),
  tags: z.array(z.string()),
  taker_fee_rate: z.bigint().nullable(),
  maker_fee_rate: z.bigint().nullable(),
})

/** Between two readings of the series, their terms are those of the stored markets. */
function termsBefore(last: ReadonlyMap<string, StoredRow>): Map<string, SeriesTerms> {
  const terms = new Map<string, SeriesTerms>()
  for (const row of last.values()) terms.set(seriesOf(nativeId(row.market_id)), storedTerms.parse(row))
  return terms
}
