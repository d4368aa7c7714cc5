/**
 * Rows by a value, from the lowest to the highest. `rows` lists them; the rows from `starts[g]` to `starts[g + 1]` are
 * ties. The rows are sorted once, and every resample iterates over them.
 */
export type Ranking = { rows: Int32Array; starts: Int32Array }

/** Ranks rows by their values; NaN is last, as one group. */
export function rankingOf(values: Float64Array): Ranking {
  const rows = Int32Array.from(values, (_, row) => row)
  const valueAt = (place: number): number => values[rows[place] ?? 0] ?? Number.NaN
  rows.sort((a, b) => order(values[a] ?? Number.NaN, values[b] ?? Number.NaN) || a - b)
  const starts = [0]
  for (let place = 1; place < rows.length; place++) {
    if (order(valueAt(place - 1), valueAt(place)) !== 0) starts.push(place)
  }
  return { rows, starts: Int32Array.from([...starts, rows.length]) }
}

const order = (a: number, b: number): number => {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return a === b ? 0 : a < b ? -1 : 1
}

/**
 * The rank of each row, where row i occurs `counts[i]` times: from 1 up, with ties on their middle rank. The rank of a
 * row with count 0 is meaningless.
 */
export function midRanks({ rows, starts }: Ranking, counts: Counts): Float64Array {
  const ranks = new Float64Array(rows.length)
  let before = 0
  for (let group = 0; group + 1 < starts.length; group++) {
    const from = starts[group] ?? 0
    const to = starts[group + 1] ?? 0
    let size = 0
    for (let place = from; place < to; place++) size += counts[rows[place] ?? 0] ?? 0
    for (let place = from; place < to; place++) ranks[rows[place] ?? 0] = before + (size + 1) / 2
    before += size
  }
  return ranks
}

/** The count of each row. */
export type Counts = Uint32Array

/**
 * Spearman's rank correlation: Pearson's of the middle ranks. NaN if one of the two has no variance, or no row counts.
 */
export function correlationOfRanks(a: Float64Array, b: Float64Array, counts: Counts): number {
  const n = counts.reduce((sum, count) => sum + count, 0)
  const middle = (n + 1) / 2
  let [together, ofA, ofB] = [0, 0, 0]
  for (let row = 0; row < counts.length; row++) {
    const count = counts[row] ?? 0
    const [fromA, fromB] = [(a[row] ?? 0) - middle, (b[row] ?? 0) - middle]
    together += count * fromA * fromB
    ofA += count * fromA * fromA
    ofB += count * fromB * fromB
  }
  return ofA === 0 || ofB === 0 ? Number.NaN : together / Math.sqrt(ofA * ofB)
}

/**
 * Divides rows, the best first, into equal parts, and returns the mean of the known results of each (NaN: unknown).
 * Ties at a boundary belong to both parts in proportion, so that no arbitrary order decides. NaN for a part without a
 * known result.
 */
export function meansOfParts({ rows, starts }: Ranking, counts: Counts, came: Float64Array, n_parts: number): number[] {
  const n = counts.reduce((sum, count) => sum + count, 0)
  const sums = new Float64Array(n_parts)
  const sizes = new Float64Array(n_parts)
  let before = 0
  for (let group = starts.length - 2; group >= 0; group--) {
    let [size, n_valid, sum] = [0, 0, 0]
    for (let place = starts[group] ?? 0; place < (starts[group + 1] ?? 0); place++) {
      const row = rows[place] ?? 0
      const count = counts[row] ?? 0
      const value = came[row] ?? Number.NaN
      size += count
      if (Number.isNaN(value)) continue
      n_valid += count
      sum += count * value
    }
    if (size === 0) continue
    // Whole numbers (places times the number of parts) make the boundaries exact.
    const last = Math.min(Math.ceil(((before + size) * n_parts) / n), n_parts)
    for (let part = Math.floor((before * n_parts) / n); part < last; part++) {
      const share =
        (Math.min((before + size) * n_parts, (part + 1) * n) - Math.max(before * n_parts, part * n)) / (size * n_parts)
      sums[part] = (sums[part] ?? 0) + share * sum
      sizes[part] = (sizes[part] ?? 0) + share * n_valid
    }
    before += size
  }
  return Array.from(sums, (sum, part) => (sizes[part] === 0 ? Number.NaN : sum / (sizes[part] ?? 0)))
}
