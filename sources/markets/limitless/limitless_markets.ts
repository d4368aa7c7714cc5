import { z } from 'zod'

import { isChange, lastRows, type StoredRow } from '#ingest/change_rows.ts'
import { assertNoneLost, lostColumns } from '#ingest/lost_columns.ts'
import { observationAt, observedEvery } from '#ingest/observation.ts'
import {
  defineSource,
  type NewRow,
  type ReadContext,
  type ReadResult,
  type RejectedRow,
  type RowsRead,
} from '#ingest/source.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import { cutReason } from './cut_list.ts'
import { limitlessHost, VENUE } from './hosts.ts'
import { absentOf, describeMarket, parseListed } from './wire/market_rows.ts'
import { activeMarkets } from './wire/pages.ts'

const name = 'limitless_markets'
const grid_s = 300

export const limitlessMarkets = defineSource({
  name,
  doc:
    'The active markets, by `/markets/active` in pages of 25. A reading is complete if its pages have as many ' +
    'different rows as `totalMarketsCount`, and if none of the missing markets is open by its own route. A first ' +
    'list has no list before it: it is held against the slugs of `/markets/active/slugs`, and without markets it is ' +
    '*unverified*. The markets of a group are nested in it. A row is stored on a change. A market that is no longer ' +
    'listed gets a row that it is closed; `limitless_resolutions` then reads it. An outcome has the id ' +
    '`<slug>:<0|1>`, since histories of accounts name outcomes by number.',
  parts: [{ name: VENUE, upstreams: [limitlessHost] }],
  datasets: ['markets'],
  precedence: 20,
  ...observedEvery(grid_s),
  follow: { group: 'histories' },
  typical: { requests: 40, rows: 100, bytes: 4_000_000 },
  plan: async (context) => [observationAt({ name, grid_s }, context)],
  read,
})

async function read(unit: Unit, { get, lake }: ReadContext): Promise<ReadResult> {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const path = '/markets/active'
  const { rows, pages, incompleteReason } = await activeMarkets(get)
  const listed = parseListed(rows, { dataset: 'markets', path, rejected, n_read })
  const described = new Map(
    listed.map((listing) => {
      const row = describeMarket(listing, unit.from)
      return [row.market_id, row] as const
    }),
  )
  const last = await storedMarkets(lake, unit.from, [...described.keys()])
  const stored = new Map([...last].map(([id, row]) => [id, row.stored]))
  assertNoneLost(path, [...absentOf(listed), ...lostColumns('markets', [...described.values()], stored)])
  const listing = { get, lake, at: unit.from, listed: new Set(described.keys()) }
  const reason = incompleteReason ?? (await cutReason(listing))
  // A rejected row may be one of the markets that seem to be gone.
  const isWhole = reason === null && rejected.length === 0
  const gone = isWhole ? [...last.values()].filter((row) => row.isActive && !described.has(row.market_id)) : []
  const closed = gone.map((row) => ({ ...row.stored, seen_at: unit.from, status: 'closed', is_open: false }))
  const changed = [...described.values()].filter((row) =>
    isChange('markets', row, last.get(row.market_id)?.stored, 'seen_at'),
  )
  return {
    rows: { markets: [...changed, ...closed] },
    rejected,
    n_read,
    proof: `${pages} pages: ${rows.length} rows with ${described.size} markets; ${gone.length} no longer listed`,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
  }
}

type StoredMarket = { market_id: string; isActive: boolean; stored: StoredRow & NewRow<'markets'> }

/** The last stored rows of the listed markets, and of the markets that were active before. */
async function storedMarkets(
  lake: LakeReader,
  before: Micros,
  listed: readonly string[],
): Promise<Map<string, StoredMarket>> {
  const active = await lake.query(
    `select market_id from lake.markets where source = '${name}' and seen_at < $before
     group by market_id having arg_max(status, seen_at) in ('open', 'paused') order by market_id`,
    z.object({ market_id: z.string() }),
    { before: time.encode(before) },
    { markets: [`${name}/`] },
  )
  const wasActive = new Set(active.map(({ market_id }) => market_id))
  const market_ids = [...new Set([...listed, ...wasActive])]
  const rows = await lastRows(lake, { source: name, dataset: 'markets', instant: 'seen_at', before, market_ids })
  return new Map(
    [...rows].map(([market_id, row]) => [
      market_id,
      { market_id, isActive: wasActive.has(market_id), stored: storedMarket.parse(row) },
    ]),
  )
}

const instant = z.bigint().transform(Number)

/** A stored row in the form in which a source gives it. */
const storedMarket = z.looseObject({
  market_id: z.string(),
  seen_at: instant,
  created_at: instant.nullable(),
  starts_at: instant.nullable(),
  ends_at: instant.nullable(),
  closed_at: instant.nullable(),
}) as unknown as z.ZodType<StoredMarket['stored']>
