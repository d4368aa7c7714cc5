import type { DuckDBValue } from '@duckdb/node-api'
import type { z } from 'zod'

/** Reads the lake: every dataset is a view `lake.<name>` over the files that count now. */
export type LakeReader = {
  /** Rows as plain objects (BIGINT as bigint, TIMESTAMP as Date, DECIMAL as number), parsed by `row`. */
  query: <T>(sql: string, row: z.ZodType<T>, values?: Record<string, DuckDBValue>) => Promise<T[]>
}
