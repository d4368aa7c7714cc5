import type { ColumnStats } from '#lake/units/write_parquet.ts'

/** The tables of the catalog that Tapeline reads and writes; `schema.sql` describes them. */
export type CatalogTables = {
  ducklake_metadata: { key: string; value: string }
  ducklake_snapshot: {
    snapshot_id: number
    snapshot_time: string | Date
    schema_version: number
    next_catalog_id: number
    next_file_id: number
  }
  ducklake_snapshot_changes: { snapshot_id: number; changes_made: string }
  ducklake_schema: {
    schema_id: number
    schema_uuid: string
    begin_snapshot: number
    end_snapshot: number | null
    schema_name: string
    path: string
    path_is_relative: Flag
  }
  ducklake_table: {
    table_id: number
    table_uuid: string
    begin_snapshot: number
    end_snapshot: number | null
    schema_id: number
    table_name: string
    path: string
    path_is_relative: Flag
  }
  ducklake_column: {
    column_id: number
    begin_snapshot: number
    end_snapshot: number | null
    table_id: number
    column_order: number
    column_name: string
    column_type: string
    default_value: string
    default_value_type: string
    default_value_dialect: string
    nulls_allowed: Flag
    parent_column: number | null
  }
  ducklake_schema_versions: { begin_snapshot: number; schema_version: number; table_id: number }
  ducklake_data_file: {
    data_file_id: number
    table_id: number
    begin_snapshot: number
    end_snapshot: number | null
    path: string
    path_is_relative: Flag
    file_format: string
    record_count: number
    file_size_bytes: number
    footer_size: number
    row_id_start: number
  }
  ducklake_file_column_stats: ColumnStats & { data_file_id: number; table_id: number }
  ducklake_table_stats: { table_id: number; record_count: number; next_row_id: number; file_size_bytes: number }
  tapeline_metadata: { key: string; value: string }
  tapeline_files: {
    data_file_id: number
    digest: string
    source: string
    first_unit: string
    last_unit: string
    n_units: number
  }
  tapeline_rows: { unit: string; table_id: number; data_file_id: number; first_row: number; n_rows: number }
  tapeline_coverage: CoverageRow & { begin_snapshot: number; end_snapshot: number | null }
  tapeline_pins: { name: string; snapshot_id: number }
  tapeline_leases: { name: string; owner: string; expires_ms: number }
  tapeline_streams: { source: string; part: string; run: number; cursor: string | null; at: number | null }
  tapeline_follows: {
    source: string
    part: string
    every_s: number
    began_ms: number
    seen_ms: number
    reached: number | null
    read_ms: number | null
    failed_rounds: number
    fault: string | null
  }
} & Record<DeletedRows, { file_id: number; row_id: number; begin_snapshot: number }>

/** DuckLake's table of deleted rows of a table: `row_id` is the position in the file. */
type DeletedRows = `ducklake_inlined_delete_${number}`

/** The name of DuckLake's table of the deleted rows of a table. */
export const deletedRows = (tableId: number): DeletedRows => `ducklake_inlined_delete_${tableId}`

/** A flag of DuckLake: 0 or 1 in SQLite, a boolean in PostgreSQL. */
type Flag = number | boolean

/** A coverage entry. Instants are microseconds; `asked` and `verified` are JSON. */
export type CoverageRow = {
  dataset: string
  unit: string
  part: string
  key: string
  precedence: number
  state: string
  from_at: number | null
  to_at: number | null
  from_block: number | null
  to_block: number | null
  n_rows: number
  n_read: number | null
  n_rejected: number | null
  digest: string | null
  asked: string
  verified: string
  proof: string | null
  reason: string | null
  reason_code: string | null
  /** JSON. */
  gaps: string | null
  /** JSON. */
  resume: string | null
  upstream_at: number | null
  checked_at: number
  source: string
}
