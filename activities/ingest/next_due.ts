import type { Source } from '#activities/source.ts'
import { gridInstant, type Micros } from '#time.ts'

/** The sources of a follow that are due, each with the instant of its grid, and the wait if none is. */
export type Tick = { due: { source: string; at: Micros }[]; wait_ms: number }

/** A wait ends after an hour even if nothing is due, so that a clock that was set is noticed. */
const longestWait_ms = 3_600_000
const shortestWait_ms = 50

/** The instants that have come since those that were reached. `speed`: seconds of the world in one of the machine. */
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
