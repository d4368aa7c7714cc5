import type { Emit, ModelColumn } from '#builder/model.ts'

/** The number of rows in a batch: a full chunk of an appender. */
const batchRows = 2048

/**
 * Rows of an output on their way to it, whose columns are in two flat arrays: `BIGINT` in one, all others in one of
 * numbers. `number` and `amount` set a value of the current row, by the place of its column; `end` completes it.
 */
export type Batch = {
  number: (column: number, value: number) => void
  amount: (column: number, value: bigint) => void
  end: () => void
  flush: () => void
}

export function openBatch(emit: Emit, output: string, columns: readonly ModelColumn[]): Batch {
  const numbers = new Float64Array(columns.length * batchRows)
  const amounts = new BigInt64Array(columns.length * batchRows)
  let n_rows = 0
  const flush = (): void => {
    if (n_rows === 0) return
    emit(
      output,
      columns.map(({ sql }, column) => {
        const values = sql === 'BIGINT' ? amounts : numbers
        return values.subarray(column * batchRows, column * batchRows + n_rows)
      }),
    )
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
    end: () => {
      if (++n_rows === batchRows) flush()
    },
    flush,
  }
}

const largest = 2n ** 63n - 1n
