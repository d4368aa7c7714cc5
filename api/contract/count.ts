import { LRUCache } from 'lru-cache'

import type { Snapshot } from '#snapshots/marts.ts'

import type { Selection } from './endpoint.ts'

/** Counts the rows of a list, of all its pages. `list` is the request without its page. */
export type CountRows = (snapshot: Snapshot, list: string, selection: Selection) => Promise<number>

const mostCounts = 10_000

/**
 * A snapshot never changes, so each list is counted once for it; the pages of a walk share the count. A count under way
 * is not shared, since it ends with the callers that asked for it.
 */
export function openCounts(): CountRows {
  const kept = new LRUCache<string, number>({ max: mostCounts })
  return async (snapshot, list, { sql, params }) => {
    const key = `${snapshot.id} ${list}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const n = await countOf(snapshot, { sql, params })
    kept.set(key, n)
    return n
  }
}

const countOf = async (snapshot: Snapshot, { sql, params }: Pick<Selection, 'sql' | 'params'>): Promise<number> => {
  const [row] = await snapshot.query(`select count(*)::integer as n from (${sql})`, params)
  return Number(row?.['n'])
}
