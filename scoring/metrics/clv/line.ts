/** A row of a regression: its terms, its value and its weight. */
export type Row = { terms: readonly number[]; value: number; weight: number }

/** A fitted line: the coefficient of each term, 0 for a term that is not chosen, and what its errors follow from. */
export type Line = {
  coefficients: readonly number[]
  /** The covariance of the coefficients, whatever the variance of each row. */
  covariance: readonly (readonly number[])[]
  /** The inverse of the weighted sums of products of terms. */
  inverse: readonly (readonly number[])[]
}

/** The least sum of squares that the terms before must leave of a term. */
const LEAST_SQUARES = 1

/**
 * The terms that a regression can tell apart, from the first to the last: of a chosen term the rows have a sum of
 * squares of at least 1 that the chosen terms before it leave unexplained.
 */
export function chooseTerms(rows: readonly (readonly number[])[]): boolean[] {
  const n_terms = rows[0]?.length ?? 0
  const products = square(n_terms, (i, j) => total(rows, (terms) => at(terms, i) * at(terms, j)))
  const chosen: boolean[] = []
  for (let term = 0; term < n_terms; term++) {
    const left = pivot(products, term)
    chosen.push(left >= LEAST_SQUARES)
    if (left < LEAST_SQUARES) continue
    sweep(products, term)
  }
  return chosen
}

/** Weighted least squares over the chosen terms. The errors are those of White. */
export function fitLine(rows: readonly Row[], chosen: readonly boolean[]): Line {
  const n_terms = chosen.length
  const inverse = invert(
    square(n_terms, (i, j) => total(rows, ({ terms, weight }) => weight * at(terms, i) * at(terms, j))),
    chosen,
  )
  const moments = vector(n_terms, (i) => total(rows, ({ terms, value, weight }) => weight * at(terms, i) * value))
  const coefficients = vector(n_terms, (i) => dot(at(inverse, i), moments))
  const scores = rows.map(({ terms, value, weight }) => ({
    terms,
    square: (weight * (value - dot(coefficients, terms))) ** 2,
  }))
  const middle = square(n_terms, (i, j) => total(scores, (row) => row.square * at(row.terms, i) * at(row.terms, j)))
  const half = square(n_terms, (i, j) =>
    dot(
      at(inverse, i),
      middle.map((line) => at(line, j)),
    ),
  )
  const covariance = square(n_terms, (i, j) =>
    dot(
      at(half, i),
      inverse.map((line) => at(line, j)),
    ),
  )
  return { coefficients, covariance, inverse }
}

/** The line at some terms, the variance of that value, and the weight of a row there in its own value. */
export function valueOf(
  { coefficients, covariance, inverse }: Line,
  terms: readonly number[],
): { mean: number; variance: number; leverage: number } {
  return { mean: dot(coefficients, terms), variance: form(covariance, terms), leverage: form(inverse, terms) }
}

const form = (matrix: readonly (readonly number[])[], terms: readonly number[]): number =>
  dot(
    matrix.map((line) => dot(line, terms)),
    terms,
  )

/** The inverse over the chosen terms; the lines of the others are 0. */
function invert(products: number[][], chosen: readonly boolean[]): number[][] {
  for (const [term, isChosen] of chosen.entries()) if (isChosen) sweep(products, term)
  return square(chosen.length, (i, j) => (at(chosen, i) && at(chosen, j) ? -at(at(products, i), j) : 0))
}

/** Sweeps a symmetric matrix by a pivot: swept parts become the negative inverse, the others what they leave. */
function sweep(matrix: number[][], term: number): void {
  const left = pivot(matrix, term)
  const line = [...at(matrix, term)]
  for (const [i, row] of matrix.entries()) {
    for (let j = 0; j < row.length; j++) {
      if (i === term && j === term) row[j] = -1 / left
      else if (i === term) row[j] = at(line, j) / left
      else if (j === term) row[j] = at(line, i) / left
      else row[j] = at(row, j) - (at(line, i) * at(line, j)) / left
    }
  }
}

const pivot = (matrix: readonly (readonly number[])[], term: number): number => at(at(matrix, term), term)

const vector = (n: number, value: (i: number) => number): number[] => Array.from({ length: n }, (_, i) => value(i))
const square = (n: number, value: (i: number, j: number) => number): number[][] =>
  Array.from({ length: n }, (_, i) => vector(n, (j) => value(i, j)))
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * at(b, i), 0)
const total = <T>(rows: readonly T[], term: (row: T) => number): number => rows.reduce((sum, row) => sum + term(row), 0)

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new RangeError(`line: no entry ${index} of ${list.length}; expected one`)
  return item
}
