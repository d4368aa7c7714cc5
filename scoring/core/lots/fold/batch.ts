import type { Emit, ModelColumn } from '#builder/model.ts'

/** The number of rows in a batch: small enough for the young generation of the garbage collector. */
const batchRows = 2048

/**
 * Rows of an output on their way to it: numbers in one flat array, column after column, then texts. `number` and `text`
 * set a value of the current row, whose texts are null until then; `end` completes it.
 */
export type Batch = {
  number: (column: number, value: number) => void
  text: (column: number, value: string) => void
  end: () => void
  flush: () => void
}

export function openBatch(emit: Emit, output: string, columns: readonly ModelColumn[]): Batch {
  const n_texts = columns.filter(({ sql }) => sql === 'VARCHAR').length
  const n_numbers = columns.length - n_texts
  const numbers = new Float64Array(n_numbers * batchRows)
  const texts = Array.from<string | null>({ length: n_texts * batchRows }).fill(null)
  let n_rows = 0
  let hasText = false
  const flush = (): void => {
    if (n_rows === 0) return
    const rangeOf = (column: number): [number, number] => [column * batchRows, column * batchRows + n_rows]
    emit(output, [
      ...Array.from({ length: n_numbers }, (_, column) => numbers.subarray(...rangeOf(column))),
      ...Array.from({ length: n_texts }, (_, column) => texts.slice(...rangeOf(column))),
    ])
    if (hasText) texts.fill(null)
    hasText = false
    n_rows = 0
  }
  return {
    number: (column, value) => {
      numbers[column * batchRows + n_rows] = value
    },
    text: (column, value) => {
      texts[column * batchRows + n_rows] = value
      hasText = true
    },
    end: () => {
      if (++n_rows === batchRows) flush()
    },
    flush,
  }
}
