import { isFirstOfDay } from '#ingest/change_rows.ts'
import { mostMissing } from '#ingest/guard.ts'
import { assertNoneLost } from '#ingest/lost_columns.ts'
import { observationAt, observedEvery } from '#ingest/observation.ts'
import { defineSource, type NewRow, type PlanContext, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { keepChanged } from '#sources/markets/keep_changed.ts'
import { marketsBefore } from '#sources/markets/known_markets.ts'
import { gridInstant } from '#time.ts'

import { kalshiHost } from './hosts.ts'
import { openList } from './market_list.ts'
import { readSeries, termsBefore } from './series_terms.ts'
import { unknownTerms } from './wire/market_rows.ts'
import { TICKERS_PER_REQUEST } from './wire/paging.ts'
import { nativeId, seriesOf, VENUE } from './wire/types.ts'

const name = 'kalshi_markets'
const grid_s = 300
/** Of the filter. Closed markets come last, so that a market that closes in between has its later state. */
const UNSETTLED = ['unopened', 'paused', 'open', 'closed']

export const kalshiMarkets = defineSource({
  name,
  doc:
    'Every market that is not settled: `/markets?status=` with `unopened`, `paused`, `open` and `closed`, ' +
    'combinations of markets excluded, cursors followed to their end. Markets that were unsettled before are read by ' +
    'their tickers, and by `/historical/markets` if they are in the archive by now. The first observation of a UTC ' +
    'day reads `/series` for categories, tags and fees. A row is stored on a change. A first list without markets is ' +
    '*unverified*. The venue names no start of an event.',
  parts: [{ name: VENUE, upstreams: [kalshiHost] }],
  datasets: ['markets'],
  precedence: 20,
  ...observedEvery(grid_s),
  follow: { group: 'histories' },
  typical: { requests: 250, rows: 5_000, bytes: 400_000_000 },
  plan,
  read,
})

async function plan(context: PlanContext): Promise<Unit[]> {
  const isFirst =
    context.keys.length > 0 ||
    (await isFirstOfDay(context.lake, { name, part: VENUE }, gridInstant(context.at, grid_s)))
  return [observationAt({ name, grid_s }, context, isFirst ? ['series'] : [])]
}

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const { get, lake } = context
  const list = openList(context)
  for (const status of UNSETTLED) await list.read('/markets', { status, mve_filter: 'exclude' })
  const n_listed = list.isSettled.size
  const unsettled = await marketsBefore(lake, unit.from, { source: name, statuses: ['open', 'paused', 'closed'] })
  const before = unsettled.map(nativeId)
  const gone = before.filter((ticker) => !list.isSettled.has(ticker))
  for (const path of ['/markets', '/historical/markets']) {
    const left = gone.filter((ticker) => !list.isSettled.has(ticker))
    for (let start = 0; start < left.length; start += TICKERS_PER_REQUEST) {
      await list.read(path, { tickers: left.slice(start, start + TICKERS_PER_REQUEST).join() })
    }
  }
  const n_unsettled = gone.filter((ticker) => list.isSettled.get(ticker) === false).length
  const n_unread = gone.filter((ticker) => !list.isSettled.has(ticker)).length
  const isCut = n_unsettled + n_unread > mostMissing(before.length)
  const reason = isCut
    ? `${n_unsettled} markets are not settled and not listed, and ${n_unread} known ones are not shown at all`
    : list.isSettled.size === 0 && before.length === 0
      ? 'the lists show no market at all; expected one'
      : null
  const { rejected, n_read } = list
  const terms = unit.params.includes('series')
    ? await readSeries(get, { rejected, n_read })
    : await termsBefore(lake, unit.from)
  const { lost } = await keepChanged<NewRow<'markets'>>({
    lake,
    dataset: 'markets',
    source: name,
    at: unit.from,
    change: (by) => context.changeRows('markets', by),
    complete: (row) => ({ ...row, ...(terms.get(seriesOf(nativeId(row.market_id))) ?? unknownTerms) }),
  })
  assertNoneLost('/markets', [...list.absent(), ...lost])
  return {
    rows: { markets: [] },
    rejected,
    n_read,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
    proof:
      `cursors followed to their end, ${list.pages()} pages: ${n_listed} unsettled markets; ` +
      `${list.isSettled.size - n_listed} of ${gone.length} that were unsettled before read by ticker`,
  }
}
