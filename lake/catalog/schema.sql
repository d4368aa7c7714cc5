-- The tables of DuckLake 1.0, by its specification, and Tapeline's own beside them. SQLite and PostgreSQL differ in
-- {boolean}, {uuid} and {time}. DuckLake's tables that no writer of Tapeline fills have to exist for its readers.
create table if not exists ducklake_metadata (key varchar not null, value varchar not null, scope varchar, scope_id bigint);
create table if not exists ducklake_snapshot (snapshot_id bigint primary key, snapshot_time {time}, schema_version bigint, next_catalog_id bigint, next_file_id bigint);
create table if not exists ducklake_snapshot_changes (snapshot_id bigint primary key, changes_made varchar, author varchar, commit_message varchar, commit_extra_info varchar);
create table if not exists ducklake_schema (schema_id bigint primary key, schema_uuid {uuid}, begin_snapshot bigint, end_snapshot bigint, schema_name varchar, path {text}, path_is_relative {boolean});
create table if not exists ducklake_table (table_id bigint, table_uuid {uuid}, begin_snapshot bigint, end_snapshot bigint, schema_id bigint, table_name varchar, path {text}, path_is_relative {boolean});
create table if not exists ducklake_column (column_id bigint, begin_snapshot bigint, end_snapshot bigint, table_id bigint, column_order bigint, column_name varchar, column_type varchar, initial_default varchar, default_value varchar, nulls_allowed {boolean}, parent_column bigint, default_value_type varchar, default_value_dialect varchar);
create table if not exists ducklake_schema_versions (begin_snapshot bigint, schema_version bigint, table_id bigint);
create table if not exists ducklake_data_file (data_file_id bigint primary key, table_id bigint, begin_snapshot bigint, end_snapshot bigint, file_order bigint, path {text}, path_is_relative {boolean}, file_format varchar, record_count bigint, file_size_bytes bigint, footer_size bigint, row_id_start bigint, partition_id bigint, encryption_key varchar, mapping_id bigint, partial_max bigint);
create table if not exists ducklake_file_column_stats (data_file_id bigint, table_id bigint, column_id bigint, column_size_bytes bigint, value_count bigint, null_count bigint, min_value varchar, max_value varchar, contains_nan {boolean}, extra_stats varchar);
create table if not exists ducklake_table_stats (table_id bigint, record_count bigint, next_row_id bigint, file_size_bytes bigint);
create table if not exists ducklake_files_scheduled_for_deletion (data_file_id bigint, path {text}, path_is_relative {boolean}, schedule_start {time});
create table if not exists ducklake_delete_file (delete_file_id bigint primary key, table_id bigint, begin_snapshot bigint, end_snapshot bigint, data_file_id bigint, path {text}, path_is_relative {boolean}, format varchar, delete_count bigint, file_size_bytes bigint, footer_size bigint, encryption_key varchar, partial_max bigint);
create table if not exists ducklake_view (view_id bigint, view_uuid {uuid}, begin_snapshot bigint, end_snapshot bigint, schema_id bigint, view_name varchar, dialect varchar, sql varchar, column_aliases varchar);
create table if not exists ducklake_tag (object_id bigint, begin_snapshot bigint, end_snapshot bigint, key varchar, value varchar);
create table if not exists ducklake_column_tag (table_id bigint, column_id bigint, begin_snapshot bigint, end_snapshot bigint, key varchar, value varchar);
create table if not exists ducklake_file_variant_stats (data_file_id bigint, table_id bigint, column_id bigint, variant_path {text}, shredded_type varchar, column_size_bytes bigint, value_count bigint, null_count bigint, min_value varchar, max_value varchar, contains_nan {boolean}, extra_stats varchar);
create table if not exists ducklake_table_column_stats (table_id bigint, column_id bigint, contains_null {boolean}, contains_nan {boolean}, min_value varchar, max_value varchar, extra_stats varchar);
create table if not exists ducklake_partition_info (partition_id bigint, table_id bigint, begin_snapshot bigint, end_snapshot bigint);
create table if not exists ducklake_partition_column (partition_id bigint, table_id bigint, partition_key_index bigint, column_id bigint, transform varchar);
create table if not exists ducklake_file_partition_value (data_file_id bigint, table_id bigint, partition_key_index bigint, partition_value varchar);
create table if not exists ducklake_inlined_data_tables (table_id bigint, table_name varchar, schema_version bigint);
create table if not exists ducklake_column_mapping (mapping_id bigint, table_id bigint, type varchar);
create table if not exists ducklake_name_mapping (mapping_id bigint, column_id bigint, source_name varchar, target_field_id bigint, parent_column bigint, is_partition {boolean});
create table if not exists ducklake_macro (schema_id bigint, macro_id bigint, macro_name varchar, begin_snapshot bigint, end_snapshot bigint);
create table if not exists ducklake_macro_impl (macro_id bigint, impl_id bigint, dialect varchar, sql varchar, type varchar);
create table if not exists ducklake_macro_parameters (macro_id bigint, impl_id bigint, column_id bigint, parameter_name varchar, parameter_type varchar, default_value varchar, default_value_type varchar);
create table if not exists ducklake_sort_info (sort_id bigint, table_id bigint, begin_snapshot bigint, end_snapshot bigint);
create table if not exists ducklake_sort_expression (sort_id bigint, table_id bigint, sort_key_index bigint, expression varchar, dialect varchar, sort_direction varchar, null_order varchar);
create index if not exists data_file_by_table on ducklake_data_file (table_id, end_snapshot);
create index if not exists data_file_by_path on ducklake_data_file (path);
create index if not exists column_stats_by_file on ducklake_file_column_stats (data_file_id);

-- The properties of the whole lake: its format and its world.
create table if not exists tapeline_metadata (key varchar primary key, value varchar not null);
-- The properties of data files without a column in DuckLake: the sha256 of a data file, its source, and the first and
-- last of its units.
create table if not exists tapeline_files (data_file_id bigint primary key, digest varchar not null, source varchar not null, first_unit {text} not null, last_unit {text} not null, n_units bigint not null);
-- The current place of the rows of a unit: `n_rows` rows of a data file, from its row `first_row` on.
create table if not exists tapeline_rows (unit {text} not null, table_id bigint not null, data_file_id bigint not null, first_row bigint not null, n_rows bigint not null, primary key (unit, table_id));
create index if not exists rows_by_file on tapeline_rows (data_file_id);
-- The coverage of each unit and dataset over the snapshots. Instants are microseconds; `asked`, `verified` are JSON.
create table if not exists tapeline_coverage (dataset varchar not null, unit {text} not null, part varchar not null, key varchar not null, precedence bigint not null, state varchar not null, from_at bigint, to_at bigint, from_block bigint, to_block bigint, n_rows bigint not null, n_read bigint, digest varchar, asked varchar not null, verified varchar not null, proof varchar, reason varchar, upstream_at bigint, checked_at bigint not null, source varchar not null, begin_snapshot bigint not null, end_snapshot bigint, primary key (unit, dataset, begin_snapshot));
create index if not exists coverage_ended on tapeline_coverage (end_snapshot);
-- Snapshots that are kept although they are old, by the name of their user.
create table if not exists tapeline_pins (name varchar primary key, snapshot_id bigint not null);
-- The owners of leases until an expiry in milliseconds: the one process that does a task, such as publishing, or each
-- process that takes part in one, such as requests to a host.
create table if not exists tapeline_leases (name varchar primary key, owner varchar not null, expires_ms bigint not null);
-- The position up to which each part of a stream is stored, and the number of its last run.
create table if not exists tapeline_streams (source varchar not null, part varchar not null, run bigint not null, cursor varchar, at bigint, primary key (source, part));
-- The parts that a follow reads. By the machine's clock in milliseconds: the begin of the follow, its last sign of life
-- (`seen_ms`), and the end of the last round that the upstream answered (`read_ms`). `reached` is the instant of the
-- last round, by the world's clock. `failed_rounds` counts the last rounds without an answer, `fault` is their reason.
create table if not exists tapeline_follows (source varchar not null, part varchar not null, every_s bigint not null, began_ms bigint not null, seen_ms bigint not null, reached bigint, read_ms bigint, failed_rounds bigint not null, fault {text}, primary key (source, part));
insert into tapeline_metadata (key, value) values ('format', '2') on conflict do nothing;
