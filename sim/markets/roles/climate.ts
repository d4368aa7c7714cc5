import type { Random } from '#sim/random.ts'

const hour_s = 3600

/** The properties of a whole world of roles. They differ from seed to seed. */
export type Climate = {
  /** logit(price) = slope x logit(chance): below 1 longshots are too expensive. */
  slope: number
  /** By how much the crowd lifts favourites until a start, at most. */
  crowd: number
  /** The half-life of the pressure of orders and of errors of the price. */
  fading_s: number
  /** The activity of takers who know, against which makers lose. */
  informed: number
  /** The width of books, relative to the usual one. */
  spread: number
}

/** Draws a climate; `slope` replaces the drawn one. */
export function drawClimate(random: Random, slope?: number): Climate {
  const drawn = random.between(0.94, 1)
  return {
    slope: slope ?? drawn,
    crowd: random.between(0, 0.013),
    fading_s: random.between(3, 10) * hour_s,
    informed: random.between(0.25, 1.3),
    spread: random.between(0.9, 2.2),
  }
}
