import { z } from 'zod'

import { lastRows, type StoredRow } from '#activities/ingest/change_rows.ts'
import { openFilled } from '#activities/ingest/lost_columns.ts'
import type { NewRow, PullContext, RejectedRow, RowsRead } from '#activities/source.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

import {
  describeMarket,
  gammaEvent,
  parseMarkets,
  tagsOf,
  usualFields,
  type GammaMarket,
  type Tags,
} from './wire/gamma_rows.ts'
import { v2Id } from './wire/ids.ts'
import { gammaPages } from './wire/paging.ts'
import { idOf, nativeId, parseRows } from './wire/types.ts'

/** An event: its tags, if it is listed, and whether a listed market names it. */
type ListedEvent = { tags: Tags | null; isNamed: boolean }

/** The listed markets in memory. */
const atOnce = 10_000

/**
 * Keeps the markets of gamma's lists, without tags and each with its place as its instant. Of all markets it holds the
 * events alone, since a list has a million markets.
 */
export function openList(
  { get, lake, keepRows }: Pick<PullContext, 'get' | 'lake' | 'keepRows'>,
  { source, at, before }: { source: string; at: Micros; before: readonly string[] },
) {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const filled = openFilled(usualFields)
  const left = new Set(before)
  const events = new Map<string, ListedEvent>()
  const shared = new Map<string, Tags>()
  const contradicted = new Map<Micros, RejectedRow>()
  let held: GammaMarket[] = []
  let [pages, n_rows] = [0, 0]

  const keep = async (): Promise<void> => {
    const markets = held
    held = []
    const rows = markets.map((market, n) => describeMarket(market, n_rows + n))
    n_rows += rows.length
    const last = await lastingFacts(lake, { source, at, rows })
    for (const [n, row] of rows.entries()) {
      const event = events.get(row.event_id)
      if (event === undefined) events.set(row.event_id, { tags: null, isNamed: true })
      else event.isNamed = true
      const reason = contradictionOf(row, last)
      if (reason === null) continue
      contradicted.set(row.seen_at, { dataset: 'markets', path: '/markets/keyset', reason, body: markets[n] })
    }
    await keepRows('markets', rows)
  }
  return {
    rejected,
    n_read,
    pages: () => pages,
    absent: filled.absent,
    /** The ids of `before` that no list has shown. */
    left: left as ReadonlySet<string>,
    /** The tags of a listed event, by its id in the lake. */
    tags: (event_id: string): Tags | undefined => events.get(event_id)?.tags ?? undefined,
    counts: () => countEvents(events),
    /** The rejection of a row that cannot be of its market, by its place. */
    contradictions: contradicted as ReadonlyMap<Micros, RejectedRow>,
    readEvents: async (closed: boolean): Promise<void> => {
      const path = '/events/keyset'
      for await (const page of gammaPages(get, 'events', { closed, include_markets: false })) {
        for (const event of parseRows(page, gammaEvent, { dataset: 'markets', path, rejected, n_read })) {
          const own = tagsOf(event)
          const text = JSON.stringify(own)
          // Many events have the same tags.
          const tags = shared.get(text) ?? own
          shared.set(text, tags)
          events.set(idOf(event.id), { tags, isNamed: events.get(idOf(event.id))?.isNamed ?? false })
        }
      }
    },
    readMarkets: async (query: { closed: boolean; condition_ids?: string[] }): Promise<void> => {
      for await (const page of gammaPages(get, 'markets', query)) {
        pages += 1
        const markets = parseMarkets(page, { dataset: 'markets', rejected, n_read })
        filled.add(markets)
        for (const market of markets) {
          left.delete(market.conditionId)
          held.push(market)
        }
        if (held.length >= atOnce) await keep()
      }
    },
    /** Keeps the last markets. */
    end: keep,
  }
}

function countEvents(events: ReadonlyMap<string, ListedEvent>): { n_events: number; n_empty: number } {
  let [n_events, n_empty] = [0, 0]
  for (const { tags, isNamed } of events.values()) {
    if (tags === null) continue
    n_events += 1
    if (!isNamed) n_empty += 1
  }
  return { n_events, n_empty }
}

type Listed = { source: string; at: Micros; rows: readonly NewRow<'markets'>[] }

const lastingFacts = (lake: LakeReader, { source, at, rows }: Listed): Promise<Map<string, StoredRow>> =>
  lastRows(lake, {
    source,
    dataset: 'markets',
    instant: 'seen_at',
    before: at,
    market_ids: [...new Set(rows.flatMap(({ market_id }) => [market_id, shortId(market_id)]))],
    columns: ['market_id', 'status', 'token_ids'],
  })

const shortId = (market_id: string): string => idOf(v2Id(nativeId(market_id)))

const lasting = z.looseObject({ status: z.string(), token_ids: z.array(z.string()) })

/** The reason why a description cannot be of its market: tokens, ids and resolutions last for ever. */
function contradictionOf(row: NewRow<'markets'>, last: ReadonlyMap<string, StoredRow>): string | null {
  const short = shortId(row.market_id)
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
