import { quantile } from '#scoring/metrics/clv/summarize.ts'

import type { Counts } from './ranking.ts'

/** A figure, and its value in each resample. */
export type Sampled = { value: number; draws: Float64Array }

/** A figure with its 95 % interval. */
export type Estimate = { value: number; lower: number; upper: number }

export type Resampling = { n_resamples: number; seed: number }

/**
 * The bootstrap: draws samples of all rows with replacement, and computes the same figures for each sample. Compared
 * figures use the same draws, so that their shared part cancels in the difference. With clusters it is a two-way one:
 * these are drawn likewise, apart from the rows.
 *
 * @param figures the figures of a sample in which row i occurs `counts[i]` times, and cluster g `clusters[g]` times
 */
export function bootstrap(
  n: number,
  figures: (counts: Counts, clusters: Counts) => number[],
  { n_resamples, seed }: Resampling,
  n_clusters = 0,
): Sampled[] {
  const whole = figures(new Uint32Array(n).fill(1), new Uint32Array(n_clusters).fill(1))
  const sampled = whole.map((value) => ({ value, draws: new Float64Array(n_resamples) }))
  const next = randomOf(seed)
  const counts = new Uint32Array(n)
  const clusters = new Uint32Array(n_clusters)
  const draw = (list: Counts): void => {
    list.fill(0)
    for (let drawn = 0; drawn < list.length; drawn++) {
      const row = Math.floor(next() * list.length)
      list[row] = (list[row] ?? 0) + 1
    }
  }
  for (let resample = 0; resample < n_resamples; resample++) {
    draw(counts)
    draw(clusters)
    for (const [index, value] of figures(counts, clusters).entries()) {
      const figure = sampled[index]
      if (figure !== undefined) figure.draws[resample] = value
    }
  }
  return sampled
}

/** The difference of two figures, draw by draw. */
export const difference = (a: Sampled, b: Sampled): Sampled => ({
  value: a.value - b.value,
  draws: a.draws.map((value, draw) => value - (b.draws[draw] ?? Number.NaN)),
})

/** The mean of one figure over independently drawn samples. */
export const meanOf = (samples: readonly Sampled[]): Sampled => {
  const mean = (figure: (sample: Sampled) => number): number =>
    samples.reduce((sum, sample) => sum + figure(sample), 0) / samples.length
  const draws = Float64Array.from(samples[0]?.draws ?? [], (_, draw) =>
    mean((sample) => sample.draws[draw] ?? Number.NaN),
  )
  return { value: mean(({ value }) => value), draws }
}

/**
 * The interval from the 2.5th to the 97.5th percentile of the draws, moved so that the mean of the draws is the figure:
 * resampling adds noise to each result, which brings correlations nearer to 0. Null if the figure is undefined in a
 * draw.
 */
export function estimateOf({ value, draws }: Sampled): Estimate | null {
  if (Number.isNaN(value) || draws.length === 0 || draws.some(Number.isNaN)) return null
  const sorted = [...draws]
  const shift = value - sorted.reduce((sum, draw) => sum + draw, 0) / sorted.length
  return { value, lower: quantile(sorted, 0.025) + shift, upper: quantile(sorted, 0.975) + shift }
}

/** Numbers in [0, 1) from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
