import type { Part, PullSource, Source } from '#activities/source.ts'
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

/** A source that can be pulled, or an error. */
export function assertPulled(source: Source): PullSource {
  if (source.kind === 'stream')
    throw new Error(`${source.name}: it is a stream; expected a source whose units are pulled`)
  return source
}

/** The part of a source that a unit belongs to. */
export function partOf(source: Source, name: string): Part {
  const part = source.parts.find((candidate) => candidate.name === name)
  if (part === undefined) throw new Error(`source ${source.name}: no part ${name}`)
  return part
}
