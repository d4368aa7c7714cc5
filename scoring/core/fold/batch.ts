import type { Emit, ModelColumn } from '#models/model.ts'

/** The number of rows in a batch: a full chunk of an appender. */
const batchRows = 2048

/**
 * Rows of an output on their way to it, in flat arrays, column after column: one of texts, one of `BIGINT`, and one of
 * all other numbers. `number`, `amount` and `text` set a value of the current row by the place of its column. A text is
 * null until then. `end` completes the row.
 */
export type Batch = {
  number: (column: number, value: number) => void
  amount: (column: number, value: bigint) => void
  text: (column: number, value: string) => void
  end: () => void
  flush: () => void
}

/** Opens an empty batch of an output. It emits its rows when they fill a chunk. */
export function openBatch(emit: Emit, output: string, columns: readonly ModelColumn[]): Batch {
  const lengthOf = (type: string): number => (columns.some(({ sql }) => sql === type) ? columns.length * batchRows : 0)
  const numbers = new Float64Array(columns.length * batchRows)
  const amounts = new BigInt64Array(lengthOf('BIGINT'))
  const texts = Array.from<string | null>({ length: lengthOf('VARCHAR') }).fill(null)
  let n_rows = 0
  let hasText = false
  const valuesOf = ({ sql }: ModelColumn, column: number) => {
    const range = [column * batchRows, column * batchRows + n_rows] as const
    if (sql === 'VARCHAR') return texts.slice(...range)
    return (sql === 'BIGINT' ? amounts : numbers).subarray(...range)
  }
  const flush = (): void => {
    if (n_rows === 0) return
    emit(output, columns.map(valuesOf))
    if (hasText) texts.fill(null)
    hasText = false
    n_rows = 0
  }
  return {
    number: (column, value) => {
      numbers[column * batchRows + n_rows] = value
    },
    amount: (column, value) => {
      // The array would keep the lowest 64 bits.
      if (value > largest || value < -largest)
        throw new Error(`${columns[column]?.name ?? output}: ${value}; expected a number of 63 bits`)
      amounts[column * batchRows + n_rows] = value
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

const largest = 2n ** 63n - 1n
