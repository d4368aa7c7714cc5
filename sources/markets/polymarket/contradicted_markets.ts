import { z } from 'zod'

import { lastRows, type StoredRow } from '#ingest/change_rows.ts'
import { mostRejected, reject } from '#ingest/parse/rows.ts'
import type { NewRow, RejectedRow } from '#ingest/source.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

import { v2Id } from './wire/ids.ts'
import { idOf, nativeId } from './wire/types.ts'

type MarketRow = NewRow<'markets'>

/**
 * Finds the listed markets that cannot be those of their ids, by what is stored of them. Rows have their places in the
 * list as their instants. A format that changes contradicts every market, so that bodies are held only of as many as a
 * reading keeps.
 */
export function openContradicted(lake: LakeReader, listed: { source: string; at: Micros }) {
  const reasons = new Map<Micros, string>()
  const bodies = new Map<Micros, unknown>()
  return {
    /** Searches rows; `marketBodies` are the markets that they were made of. */
    find: async (rows: readonly MarketRow[], marketBodies: readonly unknown[]): Promise<void> => {
      const last = await lastingFacts(lake, { ...listed, rows })
      for (const [n, row] of rows.entries()) {
        const reason = contradictionOf(row, last)
        if (reason === null) continue
        reasons.set(row.seen_at, reason)
        if (bodies.size < mostRejected) bodies.set(row.seen_at, marketBodies[n])
      }
    },
    has: (place: Micros): boolean => reasons.has(place),
    /** The rejections of those at some places, in their order. One whose body is not held has none. */
    rejections: (places: ReadonlySet<Micros>): RejectedRow[] => {
      const rejected: RejectedRow[] = []
      for (const [place, reason] of reasons) {
        if (!places.has(place)) continue
        reject(rejected, { dataset: 'markets', path: '/markets/keyset', reason, body: bodies.get(place) ?? null })
      }
      return rejected
    },
  }
}

type Listed = { source: string; at: Micros; rows: readonly MarketRow[] }

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
function contradictionOf(row: MarketRow, last: ReadonlyMap<string, StoredRow>): string | null {
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
