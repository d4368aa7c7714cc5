import { z } from 'zod'

import type { Get } from '#activities/http/request.ts'
import { isChange, isFirstOfDay, lastRows, type StoredRow } from '#activities/ingest/change_rows.ts'
import { unitOf } from '#activities/ingest/units.ts'
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

import { gammaHost } from './hosts.ts'
import {
  describeMarket,
  eventOf,
  gammaEvent,
  parseMarkets,
  tagsOf,
  type GammaMarket,
  type Tags,
} from './wire/gamma_rows.ts'
import { gammaPages } from './wire/paging.ts'
import { idOf, nativeId, parseRows, VENUE } from './wire/types.ts'

const GRID_S = 300
/** Gamma rejects a URL of more than 8 KB; an id takes 81 bytes of it. */
const IDS_PER_REQUEST = 50
/** The venue removes single markets. More of the open ones are missing only from a list that was cut short. */
const mostRemoved = (n_before: number): number => Math.max(10, 0.05 * n_before)

export const polymarketMarkets = defineSource({
  name: 'polymarket_markets',
  doc:
    'Every market as gamma describes it: `/markets/keyset` and, for tags, `/events/keyset`, with cursors followed ' +
    'to their end. The first observation of a UTC day lists all markets. The others list the open ones and, by ' +
    'id, those that closed since. A row is stored on a change. An observation without more than 5 % of the markets that ' +
    'were open before, and more than 10, is *unverified*.',
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

async function plan({ lake, at, keys }: PlanContext): Promise<Unit[]> {
  const from = gridInstant(at, GRID_S)
  const isFirst = await isFirstOfDay(lake, source, from)
  return [unitOf(source, { from, to: from, params: [keys.length > 0 || isFirst ? 'all' : 'open'] })]
}

async function pull(unit: Unit, { get, lake }: PullContext): Promise<PullResult> {
  const rejected: RejectedRow[] = []
  const isAll = unit.params.includes('all')
  const tags = new Map<string, Tags>()
  const markets = new Map<string, GammaMarket>()
  const counts = { pages: 0 }
  // Closed markets are read after open markets, so that a market that closes in between has its later state.
  for (const closed of isAll ? [false, true] : [false]) {
    await readEvents(get, closed, tags, rejected)
    await readMarkets(get, { closed, limit: 500 }, { markets, rejected, counts })
  }
  const listed = markets.size
  const before = await openBefore(lake, unit.from)
  const gone = isAll ? [] : before.filter((id) => !markets.has(id))
  for (let start = 0; start < gone.length; start += IDS_PER_REQUEST) {
    const condition_ids = gone.slice(start, start + IDS_PER_REQUEST)
    await readMarkets(get, { closed: true, limit: 500, condition_ids }, { markets, rejected, counts })
  }
  const lost = before.filter((id) => !markets.has(id))
  return {
    rows: await changedRows(lake, unit.from, [...markets.values()], tags),
    rejected,
    ...(lost.length > mostRemoved(before.length)
      ? {
          state: 'unverified',
          reason: `${lost.length} of ${before.length} markets that were open before are not listed`,
        }
      : { state: 'complete' }),
    proof:
      `cursors followed to their end, ${counts.pages} pages: ${listed} ${isAll ? 'markets' : 'open markets'}, ` +
      `${tags.size} events; ${markets.size - listed} of ${gone.length} that were open before read by id`,
  }
}

async function readEvents(get: Get, closed: boolean, tags: Map<string, Tags>, rejected: RejectedRow[]): Promise<void> {
  const path = '/events/keyset'
  for await (const page of gammaPages(get, 'events', { closed, limit: 100, include_markets: false })) {
    for (const event of parseRows(page, gammaEvent, { dataset: 'markets', path, rejected })) {
      tags.set(event.id, tagsOf(event))
    }
  }
}

type Reading = { markets: Map<string, GammaMarket>; rejected: RejectedRow[]; counts: { pages: number } }

async function readMarkets(
  get: Get,
  query: { closed: boolean; limit: number; condition_ids?: string[] },
  { markets, rejected, counts }: Reading,
): Promise<void> {
  for await (const page of gammaPages(get, 'markets', query)) {
    counts.pages += 1
    for (const market of parseMarkets(page, 'markets', rejected)) markets.set(market.conditionId, market)
  }
}

/** The condition ids of markets that are open in the lake. */
async function openBefore(lake: LakeReader, at: Micros): Promise<string[]> {
  const rows = await lake.query(
    `select market_id from lake.markets where source = '${source.name}' and seen_at < $at
     group by market_id having arg_max(status, seen_at) in ('open', 'paused') order by market_id`,
    z.object({ market_id: z.string() }),
    { at: time.encode(at) },
    { markets: [`${source.name}/`] },
  )
  return rows.map(({ market_id }) => nativeId(market_id))
}

async function changedRows(
  lake: LakeReader,
  at: Micros,
  markets: readonly GammaMarket[],
  tags: ReadonlyMap<string, Tags>,
): Promise<PullResult['rows']> {
  const market_ids = markets.map(({ conditionId }) => idOf(conditionId))
  const last = await lastRows(lake, {
    source: source.name,
    dataset: 'markets',
    instant: 'seen_at',
    before: at,
    market_ids,
  })
  const described = markets.map((market) =>
    describeMarket(market, tags.get(eventOf(market) ?? '') ?? tagsBefore(last, market), at),
  )
  return { markets: described.filter((row) => isChange('markets', row, last.get(row.market_id), 'seen_at')) }
}

const storedTags = z.object({ tags: z.array(z.string()), category: z.string().nullable() })

/** The tags of an event that is missing from this observation are carried over. */
const tagsBefore = (last: ReadonlyMap<string, StoredRow>, market: GammaMarket): Tags => {
  const before = last.get(idOf(market.conditionId))
  return before === undefined ? { tags: [], category: null } : storedTags.parse(before)
}
