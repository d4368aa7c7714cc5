import {
  BIGINT,
  BOOLEAN,
  DECIMAL,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampValue,
  INTEGER,
  LIST,
  SMALLINT,
  TIMESTAMP,
  VARCHAR,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api'

import type { Micros } from '#time.ts'

/**
 * A column type: how a value is held in TypeScript, in DuckDB and in Parquet.
 *
 * Decimals are held as a bigint of millionths, so that nothing exact passes through a float; instants as a number
 * of microseconds since 1970 UTC (a safe integer until the year 2255).
 */
export type Column<T> = {
  sql: string
  duckdb: DuckDBType
  /** A value that is not null, as the appender takes it. */
  encode: (value: unknown) => DuckDBValue
  isNullable: boolean
  /** Carries `T` for inference only. */
  type?: T
}
const column = <T>(sql: string, duckdb: DuckDBType, encode: (value: T) => DuckDBValue): Column<T> => ({
  sql,
  duckdb,
  encode: encode as (value: unknown) => DuckDBValue,
  isNullable: false,
})

const decimal = (width: number) =>
  column<bigint>(`DECIMAL(${width},6)`, DECIMAL(width, 6), (value) => new DuckDBDecimalValue(value, width, 6))

export const text = column<string>('VARCHAR', VARCHAR, (value) => value)
export const flag = column<boolean>('BOOLEAN', BOOLEAN, (value) => value)
/** TIMESTAMP, UTC, microseconds. */
export const time = column<Micros>('TIMESTAMP', TIMESTAMP, (value) => new DuckDBTimestampValue(BigInt(value)))
/** DECIMAL(38,6), a bigint of millionths of a US dollar. */
export const usd = decimal(38)
/** DECIMAL(38,6), a bigint of millionths of a share or contract. */
export const size = decimal(38)
/** DECIMAL(9,6), a bigint of millionths: a price, ratio or percentage. */
export const ratio = decimal(9)
export const count = column<number>('BIGINT', BIGINT, (value) => BigInt(value))
export const integer = column<number>('INTEGER', INTEGER, (value) => value)
export const small = column<number>('SMALLINT', SMALLINT, (value) => value)
export const texts = column<string[]>('VARCHAR[]', LIST(VARCHAR), (value) => new DuckDBListValue(value))
export const ratios = column<bigint[]>(
  'DECIMAL(9,6)[]',
  LIST(DECIMAL(9, 6)),
  (value) => new DuckDBListValue(value.map((item) => new DuckDBDecimalValue(item, 9, 6))),
)

/** The same column where the value may be unknown: null, never a stand-in. */
export const optional = <T>(of: Column<T>): Column<T | null> => ({ ...of, isNullable: true })
