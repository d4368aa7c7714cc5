import type { DuckDBDataChunk } from '@duckdb/node-api'

import type { PublicationName } from '#snapshots/publications.ts'

import type { ColumnValues } from './emit.ts'

/** The layers of scoring, in the order in which they may read each other. */
export const layers = ['staging', 'core', 'metrics', 'marts'] as const
export type Layer = (typeof layers)[number]

/**
 * The schema of tables of the core as Parquet holds them: `stored.trades` is `core.trades` with its token amounts as
 * text. A fold that takes the digits of amounts apart reads them there: a cast to BIGNUM and back takes a third of the
 * time of its input.
 */
export const storedSchema = 'stored'

/** A model cannot run, or its rows contradict its header. A retry gives the same error. */
export class ModelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ModelError'
  }
}

/** A column of a model: its type is in the header, or follows from its name (`builder/columns.ts`). */
export type ModelColumn = { name: string; sql: string; isNullable: boolean; isKey: boolean }

/** The columns of the key, which is the order of the rows, as SQL. */
export const keyOf = (columns: readonly ModelColumn[]): string =>
  columns
    .filter(({ isKey }) => isKey)
    .map(({ name }) => `"${name}"`)
    .join(', ')

/** A model that is one plain select: `scoring/<layer>/<name>.sql`. */
export type SqlModel = {
  kind: 'sql'
  layer: Layer
  name: string
  doc: string
  /** The meanings of columns that its header states, by name. They hold for these names in all tables. */
  meanings: Readonly<Record<string, string>>
  columns: ModelColumn[]
  sql: string
  /** The publication of a mart. Other layers belong to the publication that materializes. */
  publication: PublicationName
  /** Whether a build stores the rows. A table that is not stored is a view: each query computes it. */
  isStored: boolean
  /**
   * Whether the stored rows are in the order of the key. Tables that are only read whole need no order, and tables
   * whose rows already come nearly in it need no sort.
   */
  isOrdered: boolean
  /** Set for a table that numbers things, such as markets: the column of the number, and that of the name. */
  numbers: { number: string; name: string } | null
  /** Rows of the lake that no figure of the mart needs. */
  prunes: readonly Pruning[]
}

/** Rows of a table of the lake: those of a source, or those older than some hours. */
export type Pruning = { table: string } & ({ source: string } | { hours: number })

/**
 * A model that depends on the order of rows: a select of its ordered input, and a function over the input's chunks. Its
 * outputs are separate tables (`<layer>.<output>`), which plain models then decode and document.
 */
export type FoldModel = {
  kind: 'fold'
  layer: Layer
  name: string
  doc: string
  /** The ordered input: the text of `scoring/<layer>/<name>.sql`. */
  sql: string
  /** A select of the number of its rows, where the tables that it reads have the answer without their joins. */
  count?: string
  outputs: Record<string, ModelColumn[]>
  fold: Fold
}

export type Model = SqlModel | FoldModel

/**
 * A select with parameters, which analysts call as `core.<name>(…)`. It reads figures and computes none. The first
 * parameter is required; each of `options` is null unless it is given by name, as in `since := '2026-01-31'`.
 */
export type Macro = {
  name: string
  parameter: string
  options: string[]
  doc: string
  columns: Omit<ModelColumn, 'isKey'>[]
  sql: string
}

/** The parameters of a macro as `create macro` takes them. */
export const signature = (parameter: string, options: readonly string[]): string =>
  [parameter, ...options.map((option) => `${option} := null`)].join(', ')

/** Whether a model is a mart of a publication; without a publication, whether it is a mart. */
export const isMart = (model: Model, publication?: PublicationName): model is SqlModel =>
  model.kind === 'sql' && model.layer === 'marts' && (publication === undefined || model.publication === publication)

/**
 * Reads every chunk of the input, in order, and emits rows column by column: `emit('ledger_positions', columns)` with
 * one array a column, in the order of the output's columns, all of one length.
 */
export type Fold = (chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit) => Promise<void>
export type Emit = (output: string, columns: readonly ColumnValues[]) => void
