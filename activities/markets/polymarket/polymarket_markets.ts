import { z } from 'zod'

import type { Get } from '#activities/http/request.ts'
import { isChange, isFirstOfDay, lastRows, type StoredRow } from '#activities/ingest/change_rows.ts'
import { absentFields, assertNoneLost, lostColumns } from '#activities/ingest/lost_columns.ts'
import { unitOf } from '#activities/ingest/units.ts'
import {
  defineSource,
  type NewRow,
  type PlanContext,
  type PullContext,
  type PullResult,
  type RejectedRow,
  type RowsRead,
} from '#activities/source.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import { gridInstant, type Micros } from '#time.ts'

import { gammaHost } from './hosts.ts'
import { openBefore, shrunk } from './open_markets.ts'
import {
  describeMarket,
  eventOf,
  gammaEvent,
  parseMarkets,
  tagsOf,
  usualFields,
  type GammaMarket,
  type Tags,
} from './wire/gamma_rows.ts'
import { v2Id } from './wire/ids.ts'
import { gammaPages } from './wire/paging.ts'
import { idOf, nativeId, parseRows, VENUE } from './wire/types.ts'

const GRID_S = 300
/** Gamma rejects a URL of more than 8 KB; an id takes 81 bytes of it. */
const IDS_PER_REQUEST = 50
export const polymarketMarkets = defineSource({
  name: 'polymarket_markets',
  doc:
    'Every market as gamma describes it: `/markets/keyset` and, for tags, `/events/keyset`, with cursors followed ' +
    'to their end. The first observation of a UTC day lists all markets. The others list the open ones and, by ' +
    'id, those that closed since. A row is stored on a change. An observation without more than 5 % of the markets that ' +
    'were open before, and more than 5, is *unverified*, and so is one in which most events have no market, or a first one without markets. An ' +
    'observation in which a field has no value any more, as after a change of its name, fails and stores nothing.',
  parts: [{ name: VENUE, upstreams: [gammaHost] }],
  datasets: ['markets'],
  unit: 'observation',
  precedence: 20,
  lag_s: 0,
  settle_s: 0,
  grid_s: GRID_S,
  follow: { group: 'histories' },
  typical: { requests: 500, rows: 10_000, bytes: 250_000_000 },
  plan,
  pull,
})

const source = { name: 'polymarket_markets', unit: 'observation', part: VENUE } as const

async function plan({ lake, at, keys, refresh }: PlanContext): Promise<Unit[]> {
  const from = gridInstant(at, GRID_S)
  const isAll = refresh || keys.length > 0 || (await isFirstOfDay(lake, source, from))
  return [unitOf(source, { from, to: from, params: [isAll ? 'all' : 'open'] })]
}

async function pull(unit: Unit, { get, lake }: PullContext): Promise<PullResult> {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const isAll = unit.params.includes('all')
  const tags = new Map<string, Tags>()
  const markets = new Map<string, GammaMarket>()
  const counts = { pages: 0 }
  // Closed markets are read after open markets, so that a market that closes in between has its later state.
  for (const closed of isAll ? [false, true] : [false]) {
    await readEvents(get, closed, { tags, rejected, n_read })
    await readMarkets(get, { closed }, { markets, rejected, n_read, counts })
  }
  const listed = markets.size
  const before = await openBefore(lake, unit.from)
  const gone = isAll ? [] : before.filter((id) => !markets.has(id))
  for (let start = 0; start < gone.length; start += IDS_PER_REQUEST) {
    const condition_ids = gone.slice(start, start + IDS_PER_REQUEST)
    await readMarkets(get, { closed: true, condition_ids }, { markets, rejected, n_read, counts })
  }
  const reason = shrunk(before, markets) ?? withoutMarkets(tags, markets)
  return {
    rows: await changedRows(lake, unit.from, { markets: [...markets.values()], tags, rejected }),
    rejected,
    n_read,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
    proof:
      `cursors followed to their end, ${counts.pages} pages: ${listed} ${isAll ? 'markets' : 'open markets'}, ` +
      `${tags.size} events; ${markets.size - listed} of ${gone.length} that were open before read by id`,
  }
}

/**
 * The reason why a list of markets may be cut short: most listed events have none of its markets. Single events keep
 * their place when their markets close.
 */
function withoutMarkets(tags: ReadonlyMap<string, Tags>, markets: ReadonlyMap<string, GammaMarket>): string | null {
  const named = new Set([...markets.values()].map(eventOf))
  const n_empty = [...tags.keys()].filter((id) => !named.has(id)).length
  return n_empty >= 10 && n_empty > tags.size / 2 ? `${n_empty} of ${tags.size} events have no listed market` : null
}

type Events = { tags: Map<string, Tags>; rejected: RejectedRow[]; n_read: RowsRead }

async function readEvents(get: Get, closed: boolean, { tags, rejected, n_read }: Events): Promise<void> {
  const path = '/events/keyset'
  for await (const page of gammaPages(get, 'events', { closed, include_markets: false })) {
    for (const event of parseRows(page, gammaEvent, { dataset: 'markets', path, rejected, n_read })) {
      tags.set(event.id, tagsOf(event))
    }
  }
}

type Reading = {
  markets: Map<string, GammaMarket>
  rejected: RejectedRow[]
  n_read: RowsRead
  counts: { pages: number }
}

async function readMarkets(
  get: Get,
  query: { closed: boolean; condition_ids?: string[] },
  { markets, counts, ...parsing }: Reading,
): Promise<void> {
  for await (const page of gammaPages(get, 'markets', query)) {
    counts.pages += 1
    for (const market of parseMarkets(page, { dataset: 'markets', ...parsing })) markets.set(market.conditionId, market)
  }
}

type Listed = { markets: readonly GammaMarket[]; tags: ReadonlyMap<string, Tags>; rejected: RejectedRow[] }

async function changedRows(
  lake: LakeReader,
  at: Micros,
  { markets, tags, rejected }: Listed,
): Promise<PullResult['rows']> {
  const market_ids = markets.flatMap(({ conditionId }) => [idOf(conditionId), idOf(v2Id(conditionId))])
  const last = await lastRows(lake, {
    source: source.name,
    dataset: 'markets',
    instant: 'seen_at',
    before: at,
    market_ids: [...new Set(market_ids)],
  })
  const described = markets.map((market) =>
    describeMarket(market, tags.get(eventOf(market) ?? '') ?? tagsBefore(last, market), at),
  )
  assertNoneLost('/markets/keyset', [...absentFields(markets, usualFields), ...lostColumns('markets', described, last)])
  const kept = described.filter((row, n) => {
    const reason = contradictionOf(row, last)
    if (reason !== null) rejected.push({ dataset: 'markets', path: '/markets/keyset', reason, body: markets[n] })
    return reason === null
  })
  return { markets: kept.filter((row) => isChange('markets', row, last.get(row.market_id), 'seen_at')) }
}

const lasting = z.looseObject({ status: z.string(), token_ids: z.array(z.string()) })

/** The reason why a description cannot be of its market: tokens, ids and resolutions last for ever. */
function contradictionOf(row: NewRow<'markets'>, last: ReadonlyMap<string, StoredRow>): string | null {
  const short = idOf(v2Id(nativeId(row.market_id)))
  if (short !== row.market_id && last.has(short))
    return 'conditionId: that of a known market of version v2; expected v2'
  const stored = last.get(row.market_id)
  if (stored === undefined) return null
  const before = lasting.parse(stored)
  if (before.status === 'resolved' && row.status !== 'resolved') return 'status: resolved before; expected resolved'
  return before.token_ids.length > 0 && before.token_ids.join() !== row.token_ids.join()
    ? 'token_ids: others than before; expected the tokens of the market'
    : null
}

const storedTags = z.object({ tags: z.array(z.string()), category: z.string().nullable() })

/** The tags of an event that is missing from this observation are carried over. */
const tagsBefore = (last: ReadonlyMap<string, StoredRow>, market: GammaMarket): Tags => {
  const before = last.get(idOf(market.conditionId))
  return before === undefined ? { tags: [], category: null } : storedTags.parse(before)
}
