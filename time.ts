import { setTimeout } from 'node:timers/promises'

/** The time of the observed world: the machine's, or a simulated one's. It is a parameter everywhere. */
export type Clock = () => Micros

export const machineClock: Clock = () => Date.now() * 1000

/**
 * The machine's time for requests: rate limits, retries and circuit breakers. It does not follow a change of the clock,
 * which would hold all requests for as long as the clock is set back.
 */
export const machineTimers = {
  now_ms: (): number => performance.timeOrigin + performance.now(),
  sleep: async (ms: number, stop?: AbortSignal): Promise<void> =>
    setTimeout(ms, undefined, stop === undefined ? {} : { signal: stop }),
}

/** The last instant of a grid at or before `at`. */
export const gridInstant = (at: Micros, step_s: number): Micros => at - (at % (step_s * SECOND))

/**
 * Whether a span that ends at `until`, and is at most `longest` long, lasts at `at`. A later end is that of a clock that
 * was set back since, and lasts no more.
 */
export const isLasting = (until: Micros, at: Micros, longest: Micros): boolean => at < until && until <= at + longest

/**
 * Whether an instant lies further ahead of now than the clocks of two machines may differ. A clock that was ahead wrote
 * it, so it counts as unknown and not as later than now.
 */
export const isAhead = (instant: Micros, now: Micros): boolean => instant > lastPresent(now)

/** The last instant that is not ahead. */
export const lastPresent = (now: Micros): Micros => now + 600 * SECOND

/** Microseconds since 1970 UTC. */
export type Micros = number

/** Spans of time in microseconds. */
export const SECOND = 1_000_000
export const HOUR = 3_600 * SECOND
export const DAY = 24 * HOUR

/** `2026-11-20 13:05:00.123456`, with the microseconds that JavaScript's ISO strings lack. */
export function isoMicros(at: Micros): string {
  const second = Math.floor(at / SECOND)
  const iso = new Date(second * 1000).toISOString().slice(0, 19).replace('T', ' ')
  return `${iso}.${String(at - second * SECOND).padStart(6, '0')}`
}
