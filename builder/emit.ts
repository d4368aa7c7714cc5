import {
  DuckDBBigIntVector,
  DuckDBBooleanVector,
  DuckDBDataChunk,
  DuckDBDoubleVector,
  DuckDBEnum8Vector,
  DuckDBIntegerVector,
  type DuckDBAppender,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api'

/** The largest number of rows in a chunk of an appender. */
const chunkRows = 2048

/**
 * The values of a column of rows of an output. Numbers in an array of numbers have a faster way: a `Float64Array` for
 * DOUBLE and INTEGER, for BOOLEAN (0 is false) and for the codes of an ENUM, a `BigInt64Array` for BIGINT.
 */
export type ColumnValues = readonly unknown[] | Float64Array | BigInt64Array

/** An output of a fold, with the chunk that its rows of numbers go through. */
export type Output = { appender: DuckDBAppender; types: DuckDBType[]; numbers: DuckDBDataChunk | undefined }

/** Appends rows, column by column. */
export function append(output: Output, columns: readonly ColumnValues[]): void {
  const rows = columns[0]?.length ?? 0
  for (let start = 0; start < rows; start += chunkRows) {
    const length = Math.min(chunkRows, rows - start)
    const part = columns.map((values) => partOf(values, start, length))
    const chunk = chunkFor(output, part, length)
    part.forEach((values, index) => fill(chunk, index, values))
    output.appender.appendDataChunk(chunk)
  }
}

/** Part of a column; a part of numbers is no copy. */
const partOf = (values: ColumnValues, start: number, length: number): ColumnValues =>
  areNumbers(values) ? values.subarray(start, start + length) : values.slice(start, start + length)

const areNumbers = (values: ColumnValues): values is Float64Array | BigInt64Array =>
  values instanceof Float64Array || values instanceof BigInt64Array

/**
 * A full chunk of numbers is used again: the memory of a new one is outside of the heap, and its collection takes
 * longer than the append. Texts stay in the memory of their chunk, so they need a new one.
 */
function chunkFor(output: Output, columns: readonly ColumnValues[], length: number): DuckDBDataChunk {
  const isReusable = length === chunkRows && columns.every(areNumbers)
  if (!isReusable) return DuckDBDataChunk.create(output.types, length)
  output.numbers ??= DuckDBDataChunk.create(output.types, length)
  return output.numbers
}

function fill(chunk: DuckDBDataChunk, index: number, values: ColumnValues): void {
  const vector = chunk.getColumnVector(index)
  if (values instanceof BigInt64Array && vector instanceof DuckDBBigIntVector) setBigInts(vector, values)
  else if (!(values instanceof Float64Array)) chunk.setColumnValues(index, [...values] as DuckDBValue[])
  else if (vector instanceof DuckDBDoubleVector) setDoubles(vector, values)
  else if (vector instanceof DuckDBIntegerVector) setIntegers(vector, values)
  else if (vector instanceof DuckDBEnum8Vector) setCodes(vector, values)
  else if (vector instanceof DuckDBBooleanVector) setBooleans(vector, values)
  else throw new TypeError(`column ${index}: type ${vector.type.toString()}; expected a type of numbers`)
}

// A loop over one kind of vector takes a fraction of the time of a loop over every kind.
function setDoubles(vector: DuckDBDoubleVector, values: Float64Array): void {
  for (let index = 0; index < values.length; index++) vector.setItem(index, values[index] ?? null)
  vector.flush()
}

function setIntegers(vector: DuckDBIntegerVector, values: Float64Array): void {
  for (let index = 0; index < values.length; index++) vector.setItem(index, values[index] ?? null)
  vector.flush()
}

function setBigInts(vector: DuckDBBigIntVector, values: BigInt64Array): void {
  for (let index = 0; index < values.length; index++) vector.setItem(index, values[index] ?? null)
  vector.flush()
}

function setBooleans(vector: DuckDBBooleanVector, values: Float64Array): void {
  for (let index = 0; index < values.length; index++) vector.setItem(index, values[index] !== 0)
  vector.flush()
}

function setCodes(vector: DuckDBEnum8Vector, values: Float64Array): void {
  const names = vector.type.values
  for (let index = 0; index < values.length; index++) vector.setItem(index, names[values[index] ?? -1] ?? null)
  vector.flush()
}
