import type { Column } from '#lake/columns.ts'

/** A kind of fact: the columns of its rows, and the key that identifies and orders them. */
export type Dataset<C extends Record<string, Column<unknown>> = Record<string, Column<unknown>>> = {
  name: string
  /** Part of the path. A new nullable column keeps the version; any other change increments it. */
  version: number
  doc: string
  key: readonly string[]
  /**
   * The columns by which a later reading names the same row; by default the key without the number of equal rows and the
   * instant of the reading.
   */
  identity?: readonly string[]
  columns: C
  /**
   * Seconds after the end of a unit until its rows and its raw responses are dropped; without it they are kept for
   * ever.
   */
  retention_s?: number
}

/** A row of a dataset, as sources write it. */
export type Row<D extends Dataset> = {
  [K in keyof D['columns']]: D['columns'][K] extends Column<infer T> ? T : never
}

/** Checks that the key and the identity name columns. */
export const dataset = <const C extends Record<string, Column<unknown>>>(
  definition: Dataset<C> & { key: readonly (keyof C & string)[]; identity?: readonly (keyof C & string)[] },
): Dataset<C> => definition
