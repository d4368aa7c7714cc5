/** The exact 95 % interval of the mean of a Poisson count (Garwood): each tail has 2.5 %. */
export function poissonOf(n: number): { lower: number; upper: number } {
  return {
    lower: n === 0 ? 0 : meanWhere((mean) => 1 - upTo(n - 1, mean) < tail, n),
    upper: meanWhere((mean) => upTo(n, mean) > tail, n),
  }
}

const tail = 0.025

/** The chance of at most `n`. */
function upTo(n: number, mean: number): number {
  let [term, sum] = [Math.exp(-mean), 0]
  for (let k = 0; k <= n; k++) {
    sum += term
    term *= mean / (k + 1)
  }
  return sum
}

/** The largest mean that is below the bound, by bisection. */
function meanWhere(isBelow: (mean: number) => boolean, n: number): number {
  let [low, high] = [0, 2 * n + 10]
  for (let i = 0; i < 60; i++) {
    const mean = (low + high) / 2
    if (isBelow(mean)) low = mean
    else high = mean
  }
  return low
}
