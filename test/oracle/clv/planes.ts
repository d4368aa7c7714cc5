/*
 * Least squares by orthogonal terms (Gram and Schmidt), one after the other. The models sweep a matrix.
 */

type Point = { terms: readonly number[]; y: number; a: number }

/** A plane over terms. `kept` says which of the terms are in it. */
export type Plane = {
  coefficients: readonly number[]
  kept: readonly boolean[]
  mean: (terms: readonly number[]) => number
  /** The variance of the mean there, by the squared residuals (White). */
  variance: (terms: readonly number[]) => number
  /** The weight of a point there in the mean there. */
  leverage: (terms: readonly number[]) => number
}

/**
 * Fits points by their weights `a`. Without a list of kept terms a term is kept if the terms before it leave a sum of
 * squares of at least 1 of it.
 */
export function fitted(points: Point[], keptBefore?: readonly boolean[]): Plane {
  const n_terms = points[0]?.terms.length ?? 0
  // Of each kept term: its combination of terms, and its value at the points, orthogonal to those before.
  const basis: { combination: number[]; values: number[]; square: number }[] = []
  const kept: boolean[] = []
  for (let term = 0; term < n_terms; term++) {
    let combination: number[] = Array.from({ length: n_terms }, (_, i) => (i === term ? 1 : 0))
    let values = points.map(({ terms }) => terms[term] ?? 0)
    for (const before of basis) {
      const part = sum(points.map(({ a }, i) => a * (values[i] ?? 0) * (before.values[i] ?? 0))) / before.square
      combination = combination.map((each, i) => each - part * (before.combination[i] ?? 0))
      values = values.map((each, i) => each - part * (before.values[i] ?? 0))
    }
    const square = sum(points.map(({ a }, i) => a * (values[i] ?? 0) ** 2))
    const isKept = keptBefore === undefined ? square >= 1 : keptBefore[term] === true
    kept.push(isKept)
    if (isKept) basis.push({ combination, values, square })
  }
  const weights = basis.map(({ values, square }) => sum(points.map(({ a, y }, i) => a * y * (values[i] ?? 0))) / square)
  const coefficients = Array.from({ length: n_terms }, (_, i) =>
    sum(basis.map(({ combination }, k) => (weights[k] ?? 0) * (combination[i] ?? 0))),
  )
  const mean = (terms: readonly number[]): number => dot(coefficients, terms)
  /** The weight of each point in the mean at these terms. */
  const shares = (terms: readonly number[]): number[] =>
    points.map(({ a }, i) =>
      sum(basis.map(({ combination, values, square }) => (dot(combination, terms) * a * (values[i] ?? 0)) / square)),
    )
  return {
    coefficients,
    kept,
    mean,
    variance: (terms) =>
      sum(shares(terms).map((share, i) => (share * ((points[i]?.y ?? 0) - mean(points[i]?.terms ?? []))) ** 2)),
    leverage: (terms) => sum(basis.map(({ combination, square }) => dot(combination, terms) ** 2 / square)),
  }
}

const dot = (a: readonly number[], b: readonly number[]): number => sum(a.map((each, i) => each * (b[i] ?? 0)))
const sum = (terms: number[]): number => terms.reduce((total, term) => total + term, 0)
