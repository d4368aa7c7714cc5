import type { Unit } from '#lake/units/unit.ts'
import { gridInstant } from '#time.ts'

import type { PlanContext } from './source.ts'
import { unitOf } from './units.ts'

/** The part of a declaration that all sources share which observe a list on a grid of instants. */
export const observedEvery = (grid_s: number) => ({ unit: 'observation', lag_s: 0, settle_s: 0, grid_s }) as const

/** The observation at the instant of a plan. Its requests are found again by its parameters. */
export function observationAt(
  { name, grid_s }: { name: string; grid_s: number },
  { at, part }: Pick<PlanContext, 'at' | 'part'>,
  params: readonly string[] = [],
): Unit {
  const from = gridInstant(at, grid_s)
  return unitOf({ name, unit: 'observation', part: part.name }, { from, to: from, params: [...params] })
}
