import type { Random } from '#sim/random.ts'

/**
 * The beliefs of a perfectly calibrated observer about candidates. Exactly one candidate wins.
 *
 * The winner is drawn from the prior, then noisy evidence about it arrives; the belief is the posterior. Every
 * probability is therefore a martingale: three in ten of all outcomes believed with 0.3 happen.
 */
export type Belief = {
  winner: number
  /** The probability of each candidate, now. */
  chances: Float64Array
  /**
   * Adds evidence; `information` is its squared signal-to-noise ratio. `shared` is the first candidate's noise, a
   * standard normal number; without it the noise is its own.
   */
  learn: (information: number, shared?: number) => void
}

export function createBelief(prior: readonly number[], random: Random): Belief {
  const total = prior.reduce((sum, weight) => sum + weight, 0)
  const chances = Float64Array.from(prior, (weight) => weight / total)
  const evidence = Float64Array.from(chances, (chance) => Math.log(chance))
  const winner = draw(chances, random.next())

  const learn = (information: number, shared?: number) => {
    if (information <= 0) return
    const noise = Math.sqrt(information)
    let top = -Infinity
    for (let i = 0; i < evidence.length; i++) {
      const now =
        (evidence[i] ?? 0) +
        noise * ((i === 0 ? shared : undefined) ?? random.normal()) +
        (i === winner ? information : 0)
      evidence[i] = now
      if (now > top) top = now
    }
    let sum = 0
    for (let i = 0; i < evidence.length; i++) sum += chances[i] = Math.exp((evidence[i] ?? 0) - top)
    for (let i = 0; i < chances.length; i++) chances[i] = (chances[i] ?? 0) / sum
  }
  return { winner, chances, learn }
}

function draw(chances: Float64Array, u: number): number {
  let left = u
  for (let i = 0; i < chances.length - 1; i++) {
    left -= chances[i] ?? 0
    if (left < 0) return i
  }
  return chances.length - 1
}
