import { unitPath, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import type { Part, PlannedSource, Source } from './source.ts'

/**
 * A unit of a source. By default it covers all of the part (`key` is ''), has no end, and needs no parameters.
 */
export const unitOf = (
  source: Pick<Source, 'name' | 'unit'> & { part: string },
  { key = '', to = null, params = [], ...rest }: { from: Micros } & Partial<Unit>,
): Unit => ({ source: source.name, kind: source.unit, part: source.part, key, to, params, ...rest })

/** An upstream shows nothing of a unit that another source knows to have rows: by a fault, or for good. */
export class NotListed extends Error {
  override name = 'NotListed'
}

/** Units in the order of their paths, so that a plan does not depend on the order of a query. */
export const inPathOrder = (units: readonly Unit[]): Unit[] =>
  units
    .map((unit) => ({ unit, path: unitPath(unit) }))
    .toSorted(byPath)
    .map(({ unit }) => unit)

const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

/** Returns the source if its units are planned, and throws for a stream. */
export function assertPlanned(source: Source): PlannedSource {
  if (source.kind === 'stream') throw new Error(`source ${source.name}: a stream; expected a source with planned units`)
  return source
}

/** The part of a source that a unit belongs to. */
export function partOf(source: Source, name: string): Part {
  const part = source.parts.find((candidate) => candidate.name === name)
  if (part === undefined)
    throw new Error(
      `source ${source.name}: unknown part ${name}; expected one of ${source.parts.map((sourcePart) => sourcePart.name).join(', ')}`,
    )
  return part
}
