import { sumOf } from './numbers.ts'

type Terms = readonly number[]
type Row = { terms: Terms; value: number; weight: number }

/** A fitted mean: its value, the variance of that, and the share of a row in its own value. */
export type Line = {
  coefficients: readonly number[]
  at: (terms: Terms) => number
  varianceAt: (terms: Terms) => number
  shareAt: (terms: Terms) => number
}

/** A term is kept if the kept ones before it leave a sum of squares of at least 1. */
export function keptOf(rows: readonly Terms[]): boolean[] {
  const kept: boolean[] = []
  for (const term of rows[0]?.keys() ?? []) {
    const weighted = rows.map((terms) => ({ terms, value: terms[term] ?? 0, weight: 1 }))
    const { at } = lineOf(weighted, Object.assign([false, false, false, false], kept))
    kept.push(sumOf(weighted, ({ terms, value }) => (value - at(terms)) ** 2) >= 1)
  }
  return kept
}

/** Weighted least squares by the normal equations of the kept terms. */
export function lineOf(rows: readonly Row[], kept: readonly boolean[]): Line {
  const places = kept.flatMap((isKept, place) => (isKept ? [place] : []))
  const products = places.map((i) =>
    places.map((j) => sumOf(rows, ({ terms, weight }) => weight * (terms[i] ?? 0) * (terms[j] ?? 0))),
  )
  const inverse = inverseOf(products)
  const cut = (terms: Terms): number[] => places.map((place) => terms[place] ?? 0)
  const solved = times(
    inverse,
    places.map((i) => sumOf(rows, ({ terms, value, weight }) => weight * value * (terms[i] ?? 0))),
  )
  const at = (terms: Terms): number => dot(solved, cut(terms))
  return {
    coefficients: kept.map((_, place) => solved[places.indexOf(place)] ?? 0),
    at,
    varianceAt: (terms) => {
      const direction = times(inverse, cut(terms))
      return sumOf(rows, (row) => (row.weight * (row.value - at(row.terms)) * dot(direction, cut(row.terms))) ** 2)
    },
    shareAt: (terms) => dot(times(inverse, cut(terms)), cut(terms)),
  }
}

/** The inverse of a matrix by Gauss and Jordan. */
function inverseOf(matrix: readonly (readonly number[])[]): number[][] {
  const n = matrix.length
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))])
  for (let i = 0; i < n; i++) {
    const pivot = rows[i]?.[i] ?? Number.NaN
    rows[i] = (rows[i] ?? []).map((cell) => cell / pivot)
    for (let other = 0; other < n; other++) {
      if (other === i) continue
      const factor = rows[other]?.[i] ?? 0
      rows[other] = (rows[other] ?? []).map((cell, j) => cell - factor * (rows[i]?.[j] ?? 0))
    }
  }
  return rows.map((row) => row.slice(n))
}

const times = (matrix: readonly (readonly number[])[], vector: readonly number[]): number[] =>
  matrix.map((row) => dot(row, vector))
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, cell, i) => sum + cell * (b[i] ?? 0), 0)
