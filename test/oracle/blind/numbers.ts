/** a x b / c of whole numbers, rounded to a whole one, a half away from 0. */
export function wholeRatio(a: number, b: number, c: number): number {
  const [product, divisor] = [BigInt(a) * BigInt(b), BigInt(c)]
  const size = product < 0n ? -product : product
  const rounded = Number((2n * size + divisor) / (2n * divisor))
  return product < 0n ? -rounded : rounded
}

/** The values by key, in their order. */
export function grouped<T>(values: Iterable<T>, keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

export function sumOf<T>(values: Iterable<T>, of: (value: T) => number): number {
  let sum = 0
  for (const value of values) sum += of(value)
  return sum
}

/** The value at a share of the sorted values, between two of them in proportion. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const [low, high] = [sorted[below] ?? Number.NaN, sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN]
  return low + (place - below) * (high - low)
}

/** 1 - Phi(z): a power series near 0, a continued fraction beyond. */
export function upperTail(z: number): number {
  if (z < 0) return 1 - upperTail(-z)
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  if (z < 3) {
    let [term, sum] = [z, z]
    for (let n = 3; term > sum * 1e-18; n += 2) {
      term *= (z * z) / n
      sum += term
    }
    return 0.5 - density * sum
  }
  let tail = z
  for (let n = 300; n > 0; n--) tail = z + n / tail
  return density / tail
}

export const dayOf = (ts: number): number => Math.floor(ts / 86_400_000_000)
