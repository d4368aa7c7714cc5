import type { Micros } from './columns.ts'

/** The time of the world that is watched: the machine's, or a simulated one's. Handed in, never read from within. */
export type Clock = () => Micros

export const machineClock: Clock = () => Date.now() * 1000

/** The last instant of a grid that is not after `at`. */
export const gridInstant = (at: Micros, step_s: number): Micros => at - (at % (step_s * 1_000_000))
