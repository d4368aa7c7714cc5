import type { z } from 'zod'

import type { DatasetName, Row, datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Gap, ReasonCode } from '#lake/reasons.ts'
import type { ColumnBatch } from '#lake/units/column_batch.ts'
import type { UnitMark } from '#lake/units/mark_units.ts'
import type { BodyKeeper } from '#lake/units/spilled_bodies.ts'
import type { Unit, UnitKind } from '#lake/units/unit.ts'
import type { AddressKind } from '#registry/chains/address_kind.ts'
import type { Clock, Micros } from '#time.ts'

import type { StreamRequest } from './http/connection.ts'
import type { Host } from './http/host.ts'
import type { Get } from './http/request.ts'
import { assertSettings, type Settings, type SettingValues } from './setting.ts'

/** A row of a dataset from a source. The column `source` is added when the row is stored. */
export type NewRow<D extends DatasetName> = Omit<Row<(typeof datasets)[D]>, 'source'>

/** The rows of a unit, by dataset. */
export type Rows = { [D in DatasetName]?: NewRow<D>[] }

/** The same as objects or as columns. Columns cost less for units of hundreds of thousands of rows. */
export type RowsOrColumns = { [D in DatasetName]?: NewRow<D>[] | ColumnBatch }

/** An upstream row that did not parse. The other rows of its unit are stored, and the unit is quarantined. */
export type RejectedRow = { dataset: DatasetName; reason: string; path?: string; body: unknown }

/** The number of rows that an upstream showed, parsed or not. */
export type RowsRead = Partial<Record<DatasetName, number>>

/** The reading of one unit. */
export type ReadResult<R = Rows> = {
  rows: R
  rejected: RejectedRow[]
  /** The upstream's rows that were read, with rejected ones, of datasets that store only new or changed rows. */
  n_read?: RowsRead
  /**
   * `complete`: the reading has every row before `until`, with a `proof`. `growing`: the same, but the upstream will
   * add rows even after the end of the unit. `unverified`: the reading may be cut off. `unavailable`: the upstream does
   * not have the unit. Stored rows then stay, and a unit that has ended is not read again.
   */
  state: 'complete' | 'growing' | 'unverified' | 'unavailable'
  /** The start of the complete rows of a history that was cut off. The reading has no earlier rows. */
  from?: Micros
  /** The exclusive end of the rows, if it is before `until`, such as the end of an hour. */
  to?: number
  proof?: string
  reason?: string
  /** By default the code of `state`. `gaps` are the missing parts that a later reading asks for. */
  reasonCode?: ReasonCode
  gaps?: readonly Gap[]
  /** What the source keeps for the next reading, as JSON: the column `resume` of `lake.coverage`. */
  resume?: string
  /** The upstream knows the key, so that a unit of it without rows is stored, also of a requested key. */
  isKnown?: true
  /** The position of the upstream, by its own response. */
  upstreamAt?: Micros
  /** The raw bodies that are kept in place of the responses, for a source with `reparse`. */
  bodies?: readonly string[]
}

/** The state of a stored unit. The rows before `to` are complete, unless `state` is an exception. */
export type StoredUnit = { state: string; to: number | null; reason: string | null }

/**
 * The watermark of a part, in instants or blocks as its units. Both are exclusive ends. The upstream shows every row
 * before `head`, and no longer changes rows before `final`.
 */
export type Watermark = { head: number; final: number }

export type WatermarkContext<S extends Settings = Settings> = { get: Get; at: Micros; settings: SettingValues<S> }

export type ReadContext<S extends Settings = Settings> = {
  get: Get
  /** The values of the source's own settings. */
  settings: SettingValues<S>
  /** The part of the unit, with its upstreams. */
  part: Part
  watermark: Watermark
  /** The instant of this run. */
  at: Micros
  /** Rows from this instant or block on are left for the next reading. The upstream may not show all of them yet. */
  until: number
  /** Reads the lake. */
  lake: LakeReader
  /** Takes rows of the unit before its result, which has the others: a unit of many rows gives each page here. */
  keepRows: <D extends DatasetName>(dataset: D, rows: readonly NewRow<D>[]) => Promise<void>
  /**
   * Replaces the rows that were given to `keepRows` by what `change` makes of them. It gets some thousands at a time,
   * all rows of a transaction (if none is named, of an instant), or of a market in datasets without them, together.
   */
  changeRows: <D extends DatasetName>(
    dataset: D,
    change: (rows: NewRow<D>[]) => readonly NewRow<D>[] | Promise<readonly NewRow<D>[]>,
  ) => Promise<void>
  /** Rows of the upstream whose parsing depends on later pages. They are kept, and given back by their keys. */
  bodies: Pick<BodyKeeper, 'keep' | 'drop' | 'byKey'>
  /** The state of the stored unit; undefined before its first successful reading. */
  stored: () => Promise<StoredUnit | undefined>
  /** The stored rows of the unit before an instant, in the form of `NewRow`. */
  storedRows: <D extends DatasetName>(dataset: D, before: Micros) => Promise<NewRow<D>[]>
  /** The raw bodies of the stored reading; empty if none are kept. */
  storedBodies: () => Promise<string[]>
}

export type PlanContext<S extends Settings = Settings> = {
  lake: LakeReader
  /** The values of the source's own settings. */
  settings: SettingValues<S>
  /** Reads from the upstream, for plans that need more than the lake. */
  get: Get
  /** The addresses of watchlists and alerts, the longest followed first; none in a process without the accounts. */
  followed: () => Promise<string[]>
  at: Micros
  from: Micros
  to: Micros
  part: Part
  watermark: Watermark
  /** The requested keys; empty: all units. */
  keys: string[]
  /** Also plans units before the interval that are not closed or could not be read. */
  includeOpen: boolean
  /** Stored units are read again, because an upstream answered wrongly. */
  refresh: boolean
  /** The keys were requested by callers, who wait: of a long history, its first part is enough. */
  areRequested?: boolean
}

/** A chain, venue or feed of a source. */
export type Part = {
  /** A folder in the lake, and the value of the column `part`. */
  name: string
  /** The upstreams that serve it, in order of preference. The rate of the first sets the estimate of a backfill. */
  upstreams: readonly [Host, ...Host[]]
  /** The slug of its chain, if its upstreams are the chain's endpoints. The setting `RPC_<CHAIN>` replaces them. */
  chain?: string
}

/**
 * How a source is followed. For each part, the sources of a group are read in the order of the list of sources. Each
 * source plans from the rows of earlier sources. Groups and parts are followed independently.
 */
export type Follow = { group: string }

/** The properties of every source: its datasets, its units and its hosts. */
type SourceBase<S extends Settings> = {
  /** The file's name, the lake folder's, and the value of the column `source`. */
  name: string
  /** One paragraph for the docs page: the data, the routes, and the proof of completeness. */
  doc: string
  /** The parts that are planned, followed and limited independently: chains, venues or feeds. */
  parts: readonly [Part, ...Part[]]
  datasets: readonly [DatasetName, ...DatasetName[]]
  /** Between sources of the same rows, the higher precedence counts. */
  precedence: number
  /** Seconds until the upstream shows every row of an instant, after its caches and indexer. */
  lag_s: number
  /** Seconds after its end until a unit is closed. */
  settle_s: number
  /** The step of the grid of observation instants. */
  grid_s: number
  /** The group of the follow; null: only backfills read the source. */
  follow: Follow | null
  /** The typical cost of one unit, for dry runs without enough stored units. */
  typical: { requests: number; rows: number; bytes: number }
  /** Its own settings, beside those of its hosts. Its functions receive the values under the same names. */
  settings?: S
  /** The values from the environment. A declaration has none, and its functions receive the defaults. */
  values?: SettingValues<S>
}

/** A source with planned units. Its functions are methods, so that a list holds sources with any settings. */
export type PlannedSource<S extends Settings = Settings> = SourceBase<S> & {
  kind?: 'planned'
  unit: UnitKind
  /** The form of the keys by which a command names units; without it, no unit can be named. */
  keyForm?: z.ZodType<string>
  /** Its units never end and are never closed, such as the history of an account. */
  isEndless?: true
  /** Its upstream is paged backwards from now, so that an old unit costs all pages since then. */
  isPagedFromNow?: true
  /** The kind of addresses that are its keys. A request never asks it about those of another kind. */
  addresses?: AddressKind
  /**
   * Reads the watermark of a part, once for a plan and once for a batch of units. Sources of blocks need it. Without
   * it, `head` is `lag_s` and `final` is `settle_s` before the instant of the run.
   */
  watermark?(part: Part, context: WatermarkContext<S>): Promise<Watermark>
  /** The units that overlap an interval, in the order of their paths; with `includeOpen` also earlier open units. */
  plan(context: PlanContext<S>): Promise<Unit[]>
  /** Reads a unit. `unchanged`: the upstream still shows what is stored, so nothing is stored again. */
  read(unit: Unit, context: ReadContext<S>): Promise<ReadResult<RowsOrColumns> | 'unchanged'>
  /**
   * Parses the `bodies` of an earlier reading, for a source whose requests do not follow from the unit alone. Without it,
   * `read` is called again, over the stored responses.
   */
  reparse?(unit: Unit, bodies: readonly string[], context: { part: Part; until: number }): ReadResult<RowsOrColumns>
  /** Compares stored units of the same facts, also of other sources, after a read. Returns those whose mark changes. */
  crossCheck?(context: { lake: LakeReader }): Promise<UnitMark[]>
}

/** The content of one message of a stream. */
export type StreamEvent = {
  /** The cursor after the message. */
  cursor: string | null
  /** The upstream's instant, which decides the hour. A message without rows also advances the stream. */
  at: Micros
  rows: Rows
  rejected?: RejectedRow[]
  /** The reason why messages before this one are missing, if the upstream shows a gap. */
  gap?: string
}

/**
 * A source that the upstream pushes. The follow of a part calls the activity `stream` repeatedly, which reads for some
 * minutes from the stored cursor on. It rewrites the current hour as a whole every few seconds. It closes an hour
 * `settle_s` after its end, by the stream's own clock. Its units are neither planned nor read.
 */
export type StreamSource<S extends Settings = Settings> = SourceBase<S> & {
  kind: 'stream'
  unit: 'hour'
  /** Seconds without a message until a connection counts as dead. */
  silence_s: number
  /** Seconds between two stores of new rows; 3 by default. */
  store_s?: number
  /**
   * The source that reads the same rows later with a proof, by the hour or in observations. Until it has an hour, the
   * rows of this one are provisional: the hour is unverified. Rows before the end of that source's hour, or before its
   * last observation, are dropped. A row of a dataset in `byMarket` is dropped once one of these sources has a row of its
   * market. Until then it stays, with all rows after it.
   */
  sealedBy?: {
    name: string
    unit: 'hour' | 'observation'
    byMarket?: Partial<Record<DatasetName, readonly string[]>>
  }
  /** Completes the rows of an hour, before they are stored, from each other. */
  complete?(rows: Rows): Rows
} & (WholeStream<S> | NamedStream<S>)

/** An upstream that pushes everything to each connection. */
export type WholeStream<S extends Settings = Settings> = {
  /** Connections that are open at once. Each gets all messages, and a repeated row is stored once. Default: 1. */
  sockets?: number
  /**
   * The connection that continues after a cursor; null: from now on. Messages may repeat; their rows have equal keys.
   */
  connect(part: Part, cursor: string | null, settings: SettingValues<S>): StreamRequest
  /** Parses a message; null: it has no event. `after` is the cursor of the previous event. */
  parse(text: string, after: string | null, settings: SettingValues<S>): StreamEvent | null
}

/** An upstream that pushes only what a connection names, such as markets of the lake, or whose messages need its rows. */
export type NamedStream<S extends Settings = Settings> = {
  /** Makes the reader of one run. */
  open(context: StreamContext<SettingValues<S>>): StreamReader
}

export type StreamTools = { lake: Lake; clock: Clock }

/** `cursorOf` returns the cursor of the last event. */
export type StreamContext<V = SettingValues> = StreamTools & { part: Part; settings: V; cursorOf: () => string | null }

export type StreamReader = (
  | {
      /** The connections that are wanted now. A request that is another object replaces a connection. */
      wanted: () => readonly StreamRequest[]
    }
  | {
      /** The next connection, which continues after the cursor and gets all messages. */
      next: () => StreamRequest
    }
) & {
  /** The events of a message, which may follow from the messages before it. */
  parse: (text: string) => StreamEvent[]
  /** Reads what connections and events rest on, if the lake has changed. Called at first, and every few seconds. */
  refresh: () => Promise<void>
}

export type Source<S extends Settings = Settings> = PlannedSource<S> | StreamSource<S>

const snakeCase = /^[a-z]+(_[a-z0-9]+)*$/

/** Checks the names and values of a source that its type cannot check. */
export function defineSource<S extends Settings>(source: StreamSource<S>): StreamSource<S>
export function defineSource<S extends Settings>(source: PlannedSource<S>): PlannedSource<S>
export function defineSource(source: Source): Source {
  if (!snakeCase.test(source.name)) throw new Error(`source name ${source.name}: invalid; expected snake_case`)
  if (source.kind !== 'stream' && source.unit === 'blocks' && source.watermark === undefined)
    throw new Error(`source ${source.name}: no watermark; expected one for units of blocks`)
  if (source.datasets.length === 0) throw new Error(`source ${source.name}: no dataset`)
  for (const { name } of source.parts.flatMap(({ upstreams }) => upstreams)) {
    if (!snakeCase.test(name)) throw new Error(`source ${source.name}, host name ${name}: invalid; expected snake_case`)
  }
  assertSettings(source.name, source.settings ?? {})
  return source
}
