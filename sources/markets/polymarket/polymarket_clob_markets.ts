import { isFirstOfDay } from '#ingest/change_rows.ts'
import { observationAt, observedEvery } from '#ingest/observation.ts'
import {
  defineSource,
  type NewRow,
  type PlanContext,
  type ReadContext,
  type ReadResult,
  type RejectedRow,
  type RowsRead,
} from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { keepChanged } from '#sources/markets/keep_changed.ts'
import { noMarket } from '#sources/markets/known_markets.ts'
import { gridInstant } from '#time.ts'

import { clobHost } from './hosts.ts'
import { clobMarket, describeClobMarket, resolutionOf } from './wire/clob_rows.ts'
import { clobPages } from './wire/paging.ts'
import { parseRows, VENUE } from './wire/types.ts'

const name = 'polymarket_clob_markets'
const grid_s = 300

export const polymarketClobMarkets = defineSource({
  name,
  doc:
    'Every market that the order book ever had, once a UTC day, with its resolution: the CLOB’s `/markets`, ' +
    'followed to its end marker. It is the fallback for markets that gamma does not list. The CLOB does not give ' +
    'the time of a resolution, so its resolutions have the instant at which they were first seen, which may be ' +
    'later.',
  parts: [{ name: VENUE, upstreams: [clobHost] }],
  datasets: ['markets', 'resolutions'],
  precedence: 10,
  ...observedEvery(grid_s),
  follow: null,
  typical: { requests: 400, rows: 10_000, bytes: 800_000_000 },
  plan,
  read,
})

async function plan(context: PlanContext): Promise<Unit[]> {
  const { lake, at, keys } = context
  const isDue = keys.length > 0 || (await isFirstOfDay(lake, { name, part: VENUE }, gridInstant(at, grid_s)))
  return isDue ? [observationAt({ name, grid_s }, context)] : []
}

async function read(unit: Unit, { get, lake, keepRows, changeRows }: ReadContext): Promise<ReadResult> {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  let [pages, n_rows] = [0, 0]
  for await (const page of clobPages(get)) {
    pages += 1
    const listed = parseRows(page, clobMarket, { dataset: 'markets', path: '/markets', rejected, n_read })
    const places = listed.map((market, n) => ({ market, place: n_rows + n }))
    n_rows += listed.length
    await keepRows(
      'markets',
      places.map(({ market, place }) => describeClobMarket(market, place)),
    )
    await keepRows(
      'resolutions',
      places.map(({ market, place }) => resolutionOf(market, place)).filter((row) => row !== null),
    )
  }
  const kept = { lake, source: name, at: unit.from }
  const { n_markets } = await keepChanged<NewRow<'markets'>>({
    ...kept,
    dataset: 'markets',
    change: (by) => changeRows('markets', by),
  })
  const { n_markets: n_resolved } = await keepChanged<NewRow<'resolutions'>>({
    ...kept,
    dataset: 'resolutions',
    change: (by) => changeRows('resolutions', by),
  })
  return {
    rows: { markets: [], resolutions: [] },
    rejected,
    n_read,
    ...(n_markets === 0 ? { state: 'unverified', reason: noMarket } : { state: 'complete' }),
    proof: `followed to the end marker, ${pages} pages: ${n_markets} markets, ${n_resolved} resolved`,
  }
}
