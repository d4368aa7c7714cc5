/** The time of the observed world: the machine's, or a simulated one's. It is a parameter everywhere. */
export type Clock = () => Micros

export const machineClock: Clock = () => Date.now() * 1000

/** The last instant of a grid that is not after `at`. */
export const gridInstant = (at: Micros, step_s: number): Micros => at - (at % (step_s * 1_000_000))

/** Microseconds since 1970 UTC. */
export type Micros = number

/** `2026-11-20 13:05:00.123456`, which keeps the microseconds that ISO strings of JavaScript drop. */
export function isoMicros(at: Micros): string {
  const second = Math.floor(at / 1_000_000)
  const iso = new Date(second * 1000).toISOString().slice(0, 19).replace('T', ' ')
  return `${iso}.${String(at - second * 1_000_000).padStart(6, '0')}`
}
