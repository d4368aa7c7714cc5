import { backfill, type Progress } from './backfill.ts'

export type IngestRequest = {
  /** In the order in which they build on each other: markets before their trades, trades before their accounts. */
  sources: string[]
  from: number
  to: number
}

/**
 * Brings sources up to now, one after the other, since each plans by what the ones before it have stored. What an
 * earlier round left open is closed, however long ago that was.
 */
export async function ingest({ sources, from, to }: IngestRequest): Promise<Progress[]> {
  const done: Progress[] = []
  for (const source of sources) done.push(await backfill({ source, from, to, keys: [], openToo: true }))
  return done
}
