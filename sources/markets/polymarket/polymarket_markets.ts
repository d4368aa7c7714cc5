import { z } from 'zod'

import { isFirstOfDay, type StoredRow } from '#ingest/change_rows.ts'
import { assertNoneLost } from '#ingest/lost_columns.ts'
import { observationAt, observedEvery } from '#ingest/observation.ts'
import { reject } from '#ingest/parse/rows.ts'
import { defineSource, type NewRow, type PlanContext, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { keepChanged } from '#sources/markets/keep_changed.ts'
import { gridInstant, type Micros } from '#time.ts'

import { gammaHost } from './hosts.ts'
import { openList } from './market_list.ts'
import { openBefore, shrunk } from './open_markets.ts'
import { noTags, withTags, type Tags } from './wire/gamma_rows.ts'
import { VENUE } from './wire/types.ts'

const name = 'polymarket_markets'
const grid_s = 300
/** Gamma rejects a URL of more than 8 KB; an id takes 81 bytes of it. */
const IDS_PER_REQUEST = 50
export const polymarketMarkets = defineSource({
  name,
  doc:
    'Every market as gamma describes it: `/markets/keyset` and, for tags, `/events/keyset`, with cursors followed to ' +
    'their end. The first observation of a UTC day lists all markets. The others list the open ones and, by id, ' +
    'those that closed since. A row is stored on a change. An observation without more than 5 % of the markets that ' +
    'were open before, and more than 5, is *unverified*, and so is one in which most events have no market, or a ' +
    'first one without markets. An observation in which a field has no value any more, as after a change of its ' +
    'name, fails and stores nothing.',
  parts: [{ name: VENUE, upstreams: [gammaHost] }],
  datasets: ['markets'],
  precedence: 20,
  ...observedEvery(grid_s),
  follow: { group: 'histories' },
  typical: { requests: 500, rows: 10_000, bytes: 250_000_000 },
  plan,
  read,
})

async function plan(context: PlanContext): Promise<Unit[]> {
  const { lake, at, keys, refresh } = context
  const isAll = refresh || keys.length > 0 || (await isFirstOfDay(lake, { name, part: VENUE }, gridInstant(at, grid_s)))
  return [observationAt({ name, grid_s }, context, [isAll ? 'all' : 'open'])]
}

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const at = unit.from
  const isAll = unit.params.includes('all')
  const before = await openBefore(context.lake, at)
  const list = openList(context, { source: name, at, before })
  // Closed markets are read after open markets, so that a market that closes in between has its later state.
  for (const closed of isAll ? [false, true] : [false]) {
    await list.readEvents(closed)
    await list.readMarkets({ closed })
  }
  const gone = isAll ? [] : [...list.left]
  for (let start = 0; start < gone.length; start += IDS_PER_REQUEST) {
    await list.readMarkets({ closed: true, condition_ids: gone.slice(start, start + IDS_PER_REQUEST) })
  }
  await list.end()
  const n_found = isAll ? 0 : gone.length - list.left.size
  const { rejected, n_read } = list
  const contradicted = new Set<Micros>()
  const { n_markets, lost } = await keepChanged<NewRow<'markets'>>({
    lake: context.lake,
    dataset: 'markets',
    source: name,
    at,
    change: (by) => context.changeRows('markets', by),
    complete: (row, last) => withTags(row, list.tags(row.event_id) ?? tagsBefore(last)),
    isKept: ({ seen_at }) => {
      if (list.contradicted.has(seen_at)) contradicted.add(seen_at)
      return !contradicted.has(seen_at)
    },
  })
  assertNoneLost('/markets/keyset', [...list.absent(), ...lost])
  for (const row of list.contradicted.rejections(contradicted)) reject(rejected, row)
  const events = list.counts()
  const reason = shrunk(before, { n_lost: list.left.size, n_markets }) ?? withoutMarkets(events)
  return {
    rows: { markets: [] },
    rejected,
    n_read,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
    proof:
      `cursors followed to their end, ${list.pages()} pages: ${n_markets - n_found} ${isAll ? 'markets' : 'open markets'}, ` +
      `${events.n_events} events; ${n_found} of ${gone.length} that were open before read by id`,
  }
}

/**
 * The reason why a list of markets may be cut short: most listed events have none of its markets. Single events keep
 * their place when their markets close.
 */
const withoutMarkets = ({ n_events, n_empty }: { n_events: number; n_empty: number }): string | null =>
  n_empty >= 10 && n_empty > n_events / 2 ? `${n_empty} of ${n_events} events have no listed market` : null

const storedTags = z.object({ tags: z.array(z.string()), category: z.string().nullable() })

/** The tags of an event that is missing from this observation are carried over. */
const tagsBefore = (last: StoredRow | undefined): Tags => (last === undefined ? noTags : storedTags.parse(last))
