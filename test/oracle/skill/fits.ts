/** A linear fit of a few terms, by normal equations. */
export type Fit = { b: number[]; inverse: number[][] }
export type Observation = { h: readonly number[]; y: number }

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
export const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((total, value, i) => total + value * (b[i] ?? 0), 0)

/** Minimizes the weighted squares over the used terms; the coefficients of the others are 0. */
export function fitOf(rows: readonly Observation[], weights: readonly number[], used: readonly number[]): Fit {
  const width = rows[0]?.h.length ?? 0
  const cell = (i: number, j: number): number =>
    sum(rows.map(({ h }, k) => (weights[k] ?? 0) * (h[i] ?? 0) * (h[j] ?? 0)))
  const small = inverseOf(used.map((i) => used.map((j) => cell(i, j))))
  const terms = Array.from({ length: width }, (_, i) => used.indexOf(i))
  const inverse = terms.map((a) => terms.map((b) => small[a]?.[b] ?? 0))
  const right = Array.from({ length: width }, (_, i) =>
    sum(rows.map(({ h, y }, k) => (weights[k] ?? 0) * (h[i] ?? 0) * y)),
  )
  return { inverse, b: inverse.map((line) => dot(line, right)) }
}

/** The terms that the used ones before them leave a sum of squares of at least 1 of. */
export function usedTerms(rows: readonly Observation[]): number[] {
  const used: number[] = []
  for (const term of rows[0]?.h.keys() ?? []) {
    const target = rows.map(({ h }) => ({ h, y: h[term] ?? 0 }))
    const { b } = fitOf(
      target,
      rows.map(() => 1),
      used,
    )
    if (sum(target.map(({ h, y }) => (y - dot(h, b)) ** 2)) >= 1) used.push(term)
  }
  return used
}

/** h' M h */
export const quadratic = (h: readonly number[], matrix: readonly number[][]): number =>
  dot(
    h,
    matrix.map((line) => dot(line, h)),
  )

/** Gauss and Jordan's elimination with pivots. */
function inverseOf(matrix: readonly number[][]): number[][] {
  const n = matrix.length
  const rows = matrix.map((line, i) => [...line, ...line.map((_, j) => (i === j ? 1 : 0))])
  for (let column = 0; column < n; column++) {
    let pivot = column
    for (let i = column; i < n; i++)
      if (Math.abs(rows[i]?.[column] ?? 0) > Math.abs(rows[pivot]?.[column] ?? 0)) pivot = i
    const [upper, lower] = [rows[column] ?? [], rows[pivot] ?? []]
    rows[pivot] = upper
    rows[column] = lower.map((value) => value / (lower[column] ?? 1))
    for (const [i, line] of rows.entries()) {
      if (i === column) continue
      const times = line[column] ?? 0
      rows[i] = line.map((value, j) => value - times * (rows[column]?.[j] ?? 0))
    }
  }
  return rows.map((line) => line.slice(n))
}
