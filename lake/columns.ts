import { crc32 } from 'node:zlib'

import {
  BIGINT,
  BOOLEAN,
  DECIMAL,
  DOUBLE,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampValue,
  INTEGER,
  LIST,
  SMALLINT,
  TIMESTAMP,
  UBIGINT,
  UTINYINT,
  VARCHAR,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api'

import type { Micros } from '#time.ts'

/**
 * A column type: the representation of a value in TypeScript, DuckDB and Parquet.
 *
 * A decimal is a bigint of millionths, so that no exact value passes through a float. An instant is a number of
 * microseconds since 1970 UTC (a safe integer until the year 2255).
 */
export type Column<T> = {
  sql: string
  duckdb: DuckDBType
  /** Converts a value that is not null for the appender. */
  encode: (value: unknown) => DuckDBValue
  isNullable: boolean
  /** Exists for type inference only. */
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
/** A hash of 64 bits, a bigint. */
export const hash64 = column<bigint>('UBIGINT', UBIGINT, (value) => value)
/** A measurement, never a sum of money. */
export const double = column<number>('DOUBLE', DOUBLE, (value) => value)
export const tiny = column<number>('UTINYINT', UTINYINT, (value) => value)
/**
 * Raw units of a token, whole and of any size: a bigint here, BIGNUM in DuckDB, digits in Parquet, which has no such
 * type.
 */
export const amount = column<bigint>('BIGNUM', VARCHAR, (value) => value.toString())
export const texts = column<string[]>('VARCHAR[]', LIST(VARCHAR), (value) => new DuckDBListValue(value))
export const ratios = column<bigint[]>(
  'DECIMAL(9,6)[]',
  LIST(DECIMAL(9, 6)),
  (value) => new DuckDBListValue(value.map((item) => new DuckDBDecimalValue(item, 9, 6))),
)

/** The type of a column in data files, in the catalog and in the tables that files are written from. */
export const fileType = (sql: string): string => (sql === 'BIGNUM' ? 'VARCHAR' : sql)

/** The same column, nullable. Null means unknown. */
export const optional = <T>(base: Column<T>): Column<T | null> => ({ ...base, isNullable: true })

/**
 * The id of a column in data files and in the catalog. It follows from the name, so that files keep their meaning
 * without the catalog. The elements of the list `x` have the id of `x.element`.
 */
export const fieldId = (name: string): number => crc32(name) & 0x7fff_ffff
