import type { Clock, Micros } from '#time.ts'

/** A clock that starts at `start` and runs `speed` times as fast as the machine's. */
export function fastClock({ start, speed, machine }: { start: Micros; speed: number; machine: Clock }): Clock {
  const from = machine()
  return () => Math.round(start + (machine() - from) * speed)
}

/** A clock that moves only by `set` and `advance`. */
export function steppedClock(start: Micros): {
  now: Clock
  set: (at: Micros) => void
  advance: (micros: Micros) => void
} {
  let at = start
  return {
    now: () => at,
    set: (next) => {
      at = next
    },
    advance: (micros) => {
      at += micros
    },
  }
}
