import type { Source } from '#activities/source.ts'
import { gridInstant, type Micros } from '#time.ts'

/** The due sources of a follow with the instants of their grids, and the wait if no source is due. */
export type Tick = { due: { source: string; at: Micros }[]; wait_ms: number }

/** The longest wait, so that a changed clock is noticed. */
const longestWait_ms = 3_600_000
const shortestWait_ms = 50

/** The due instants after the reached instants. `speed`: seconds of the world in a second of the machine. */
export function nextDue(
  sources: readonly Source[],
  reached: Record<string, Micros>,
  { now, speed }: { now: Micros; speed: number },
): Tick {
  const due = sources
    .map(({ name, grid_s }) => ({ source: name, at: gridInstant(now, grid_s) }))
    .filter(({ source, at }) => at > (reached[source] ?? -1))
  const next = Math.min(...sources.map(({ grid_s }) => gridInstant(now, grid_s) + grid_s * 1_000_000))
  const wait_ms = Math.min(Math.max((next - now) / 1000 / speed, shortestWait_ms), longestWait_ms)
  return { due, wait_ms: Math.ceil(wait_ms) }
}
