import type { Source } from '#activities/source.ts'
import type { BackfillRequest } from '#workflows/backfill.ts'

/**
 * The bare feed is paged from now backwards, so an hour costs all pages since. `polymarket_trades` holds the interval: a
 * backfill of all sources reads of the feed what a follow reads first, which an interval from 0 on selects.
 */
const fromNow = new Set(['polymarket_feed'])

/**
 * What a backfill reads: the named sources, or all that can be followed. The list of sources has each after those from
 * whose rows it plans its units.
 */
export function backfillRequests(
  sources: readonly Source[],
  { names, from, to }: { names: readonly string[]; from: number; to: number },
): BackfillRequest[] {
  const isAll = names.length === 0
  return sources
    .filter(({ name, follow }) => (isAll ? follow !== null : names.includes(name)))
    .map(({ name }) => ({ source: name, from: isAll && fromNow.has(name) ? 0 : from, to, keys: [] }))
}

/**
 * The sources of a list from whose rows a source plans its units: those before it in its group, and those in no group,
 * which stand in for others.
 */
export function prerequisitesOf(sources: readonly Source[], name: string): string[] {
  const n = sources.findIndex((source) => source.name === name)
  const group = sources[n]?.follow?.group
  return sources
    .slice(0, n)
    .flatMap(({ name: earlier, follow }) => (follow === null || follow.group === group ? [earlier] : []))
}
