import type { Source } from '#activities/source.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

/** A unit of a source of this venue; what is not given is about all of it, or without end. */
export const unitOf = (
  source: Pick<Source, 'name' | 'unit'> & { part: string },
  { key = '', to = null, params = [], ...rest }: { from: Micros } & Partial<Unit>,
): Unit => ({ source: source.name, kind: source.unit, part: source.part, key, to, params, ...rest })

/** In the order of their paths. */
export const inPathOrder = (units: readonly Unit[]): Unit[] =>
  units
    .map((unit) => ({ unit, path: unitPath(unit) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ unit }) => unit)
