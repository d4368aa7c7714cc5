import { gridInstant, SECOND, type Micros } from '#time.ts'

import type { Source } from './source.ts'

/** The due sources of a follow with the instants of their grids, and the wait if no source is due. */
export type Tick = { due: { source: string; at: Micros }[]; wait_ms: number }

/** The longest wait, so that a changed clock is noticed. */
const longestWait_ms = 3_600_000
const shortestWait_ms = 50

/**
 * The due instants after the reached instants. A reached instant more than a step from now is that of a clock that was
 * set back since, and delays nothing. `speed`: seconds of the world in a second of the machine.
 */
export function nextDue(
  sources: readonly Source[],
  reached: Record<string, Micros>,
  { now, speed }: { now: Micros; speed: number },
): Tick {
  const due = sources
    .filter(({ name, grid_s }) => {
      const last = reached[name] ?? -1
      return gridInstant(now, grid_s) > last || last > now + grid_s * SECOND
    })
    .map(({ name, grid_s }) => ({ source: name, at: gridInstant(now, grid_s) }))
  const next = Math.min(...sources.map(({ grid_s }) => gridInstant(now, grid_s) + grid_s * SECOND))
  const wait_ms = Math.min(Math.max((next - now) / 1000 / speed, shortestWait_ms), longestWait_ms)
  return { due, wait_ms: Math.ceil(wait_ms) }
}
