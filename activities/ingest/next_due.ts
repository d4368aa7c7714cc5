import type { Source } from '#activities/source.ts'
import { gridInstant, type Micros } from '#time.ts'

/** The sources of a lane that are due, each with the instant of its grid; where none is, how long to wait. */
export type Tick = { due: { source: string; at: Micros }[]; wait_ms: number }

/** Waits are cut into pieces, so that a pause or a clock that was set shows soon. */
const longestWait_ms = 15_000
const shortestWait_ms = 50

/** What has come since the instants that were reached. `speed`: seconds of the world in one of the machine. */
export function nextTick(
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
