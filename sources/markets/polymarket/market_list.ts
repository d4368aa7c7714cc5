import { openFilled } from '#ingest/lost_columns.ts'
import type { ReadContext, RejectedRow, RowsRead } from '#ingest/source.ts'
import type { Micros } from '#time.ts'

import { openContradicted } from './contradicted_markets.ts'
import {
  describeMarket,
  gammaEvent,
  parseMarkets,
  tagsOf,
  usualFields,
  type GammaMarket,
  type Tags,
} from './wire/gamma_rows.ts'
import { gammaPages } from './wire/paging.ts'
import { idOf, parseRows } from './wire/types.ts'

/** An event: its tags, if it is listed, and whether a listed market names it. */
type ListedEvent = { tags: Tags | null; isNamed: boolean }

/** The listed markets in memory. */
const atOnce = 10_000

/**
 * Keeps the markets of gamma's lists, without tags and each with its place as its instant. Of all markets it holds the
 * events alone, since a list has a million markets.
 */
export function openList(
  { get, lake, keepRows }: Pick<ReadContext, 'get' | 'lake' | 'keepRows'>,
  { source, at, before }: { source: string; at: Micros; before: readonly string[] },
) {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const filled = openFilled(usualFields)
  const left = new Set(before)
  const events = new Map<string, ListedEvent>()
  const shared = new Map<string, Tags>()
  const contradicted = openContradicted(lake, { source, at })
  let held: GammaMarket[] = []
  let [pages, n_rows] = [0, 0]

  const keep = async (): Promise<void> => {
    const markets = held
    held = []
    const rows = markets.map((market, n) => describeMarket(market, n_rows + n))
    n_rows += rows.length
    await contradicted.find(rows, markets)
    for (const row of rows) {
      const event = events.get(row.event_id)
      if (event === undefined) events.set(row.event_id, { tags: null, isNamed: true })
      else event.isNamed = true
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
    contradicted,
    readEvents: async (closed: boolean): Promise<void> => {
      const path = '/events/keyset'
      for await (const page of gammaPages(get, 'events', { closed, include_markets: false })) {
        for (const event of parseRows(page, gammaEvent, { dataset: 'markets', path, rejected, n_read })) {
          const eventTags = tagsOf(event)
          const text = JSON.stringify(eventTags)
          // Many events have the same tags.
          const tags = shared.get(text) ?? eventTags
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
