import { UsageError } from '#bin/command_line/values.ts'
import type { Source } from '#ingest/source.ts'
import type { BackfillRequest } from '#workflows/backfill.ts'

/**
 * The requests of a backfill: the named sources, or all followed sources. Streams have no past, and sources that are
 * followed only with a key are read by name. Prices and balances of the present are read only up to the present: of a
 * past interval their sources are left out, and refused by name. In the list of sources, each source follows the
 * sources that it plans from.
 */
export function backfillRequests(
  sources: readonly Source[],
  { names, from, to, now = to }: { names: readonly string[]; from: number; to: number; now?: number },
): BackfillRequest[] {
  const isAll = names.length === 0
  const isPast = (source: Source): boolean => showsPresent(source) && to < now - source.grid_s * 1_000_000
  const refused = sources.find((source) => names.includes(source.name) && isPast(source))
  if (refused !== undefined) {
    throw new UsageError(
      `${refused.name}: observes the present, and its upstream shows no past; expected no --to, or one in the future`,
    )
  }
  return sources
    .filter((source) => (isAll ? hasPast(source) && !needsKey(source) && !isPast(source) : names.includes(source.name)))
    .map((source) => ({ source: source.name, from: isAll && isFromNow(source) ? 0 : from, to, keys: [] }))
}

/** A backfill of all sources reads of such a source what a follow reads first; an interval from 0 selects that. */
const isFromNow = (source: Source): boolean => source.kind !== 'stream' && source.isPagedFromNow === true

const hasPast = ({ follow, kind }: Source): boolean => follow !== null && kind !== 'stream'

/** The datasets whose observations are of their instant alone. */
const ofPresent = new Set<string>(['quotes', 'balances'])

/** Whether a source observes prices or balances, which are of the instant of the observation. */
export const showsPresent = ({ unit, datasets }: Source): boolean =>
  unit === 'observation' && datasets.every((name) => ofPresent.has(name))

const needsKey = ({ parts }: Source): boolean =>
  parts.every(({ upstreams }) => upstreams.every(({ secret }) => secret?.withoutKey === 'unfollowed'))

/**
 * The sources that a source plans from: of its parts, the earlier sources of its group and those without a group. A
 * source without a group replaces other sources.
 */
export function prerequisitesOf(sources: readonly Source[], name: string): string[] {
  const n = sources.findIndex((source) => source.name === name)
  const group = sources[n]?.follow?.group
  const parts = new Set(sources[n]?.parts.map((part) => part.name))
  return sources
    .slice(0, n)
    .filter((earlier) => earlier.parts.some((part) => parts.has(part.name)))
    .flatMap(({ name: earlier, follow }) => (follow === null || follow.group === group ? [earlier] : []))
}
