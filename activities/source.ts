import type { DatasetName, Row, datasets } from '#lake/datasets/index.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { ColumnBatch } from '#lake/units/column_batch.ts'
import type { Unit, UnitKind } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import type { Host } from './http/host.ts'
import type { Get } from './http/request.ts'
import type { StreamRequest } from './http/stream.ts'

/** A row of a dataset as sources give it: `source` is filled in by the one who stores it. */
export type NewRow<D extends DatasetName> = Omit<Row<(typeof datasets)[D]>, 'source'>

/** Rows for the datasets that a source fills. */
export type Rows = { [D in DatasetName]?: NewRow<D>[] }

/** The same as objects or as columns, which cost less where a unit has hundreds of thousands of rows. */
export type RowsOrColumns = { [D in DatasetName]?: NewRow<D>[] | ColumnBatch }

/** An upstream row that did not parse. It stops nothing, and leaves its unit quarantined: not proved to be whole. */
export type RejectedRow = { dataset: DatasetName; reason: string; path?: string; body: unknown }

/** What was read of one unit. */
export type PullResult<R = Rows> = {
  rows: R
  rejected: RejectedRow[]
  /**
   * `complete`: everything before `until` is here, and `proof` says how that is known. `growing`: so it is, but the
   * upstream will add to it even if the unit has ended. `unverified`: it may be cut off. `unavailable`: the upstream
   * does not have it; that replaces nothing that is stored, and once the unit has ended it is not asked again.
   */
  state: 'complete' | 'growing' | 'unverified' | 'unavailable'
  /** Of a history that was cut off: the instant from which the rows are whole. None before it is given. */
  from?: Micros
  /** The exclusive end of the rows, where that is not as far as `until`: an hour ends. */
  to?: number
  proof?: string
  reason?: string
  /** How far the upstream itself says that it has got. */
  upstreamAt?: Micros
}

/** How what is stored of a unit stands: what lies before `to` was whole, unless its state says otherwise. */
export type StoredUnit = { state: string; to: number | null; reason: string | null }

/**
 * How far a part has got, in the measure of its units: instants or blocks. Both are exclusive ends. The upstream shows
 * everything before `head`, and changes nothing before `final` any more.
 */
export type Watermark = { head: number; final: number }

export type PullContext = {
  get: Get
  /** The part of the unit, with its upstreams. */
  part: Part
  watermark: Watermark
  /** The instant that this run is about. */
  at: Micros
  /** Rows from here on (an instant or a block) are left for the next pull: the upstream may not show all of them yet. */
  until: number
  /** Reads what is already in the lake. */
  lake: LakeReader
  /** The stored contents of the unit itself; undefined before its first successful reading. */
  stored: () => Promise<StoredUnit | undefined>
  /** The stored rows of the unit from before an instant, as they were given. */
  storedRows: <D extends DatasetName>(dataset: D, before: Micros) => Promise<NewRow<D>[]>
}

export type PlanContext = {
  lake: LakeReader
  /** Asks the upstream, for a plan that the lake alone does not give. */
  get: Get
  at: Micros
  from: Micros
  to: Micros
  part: Part
  /** How far the part has got. */
  watermark: Watermark
  /** Keys asked for by name; empty means all. */
  keys: string[]
  /** Also the units from before the interval that are stored and not closed, or could not be read. */
  includeOpen: boolean
}

/** A chain, venue or feed of a source. */
export type Part = {
  /** A folder in the lake, and the value of the column `part`. */
  name: string
  /** The upstreams that serve it, in the order of preference. The rate of the first decides how long a backfill takes. */
  upstreams: readonly [Host, ...Host[]]
}

/**
 * How a source is followed. For each part, the sources of a group are read one after the other, in the order of the list
 * of sources, since each plans by what those before it have stored. Groups and parts are followed side by side.
 */
export type Follow = {
  group: string
  /** Each round of the group ends with a publication of the pulse. */
  publishes?: true
}

/** One upstream feed: what it fills, how its work is cut, and how a piece is read. */
type SourceBase = {
  /** The file's name, the lake folder's, and the value of the column `source`. */
  name: string
  /** One paragraph for the docs page: what is read, from which routes, and how it is known to be whole. */
  doc: string
  /** What of it is planned, followed and limited by itself: its chains, venues or feeds. */
  parts: readonly [Part, ...Part[]]
  datasets: readonly [DatasetName, ...DatasetName[]]
  /** Between sources that hold the same rows the higher one counts. */
  precedence: number
  /** Seconds until the upstream shows everything of an instant (its caches, its indexer). */
  lag_s: number
  /** Seconds after its end until a unit is closed for good. */
  settle_s: number
  /** The step of the grid of observation instants. */
  grid_s: number
  /** How it is followed; null: backfills alone read it. */
  follow: Follow | null
  /** What one unit typically costs, for dry runs before anything was measured. */
  typical: { requests: number; rows: number; bytes: number }
}

/** A source whose units are planned, and read one by one. */
export type PullSource = SourceBase & {
  kind?: 'pull'
  unit: UnitKind
  /** No unit of it ever ends, so that none is ever closed: the history of an account. */
  isEndless?: true
  /**
   * Asks how far a part has got, once for a plan and once for a batch of units. Sources of blocks need one; without it
   * the head is the lag behind the instant of the run, and the final end the settle time.
   */
  watermark?: (part: Part, context: { get: Get; at: Micros }) => Promise<Watermark>
  /** The units that lived in an interval, in the order of their paths; with `includeOpen` also those left open before it. */
  plan: (context: PlanContext) => Promise<Unit[]>
  pull: (unit: Unit, context: PullContext) => Promise<PullResult<RowsOrColumns>>
}

/** What one message of a stream says. */
export type StreamEvent = {
  /** Where the upstream is to continue after it. */
  cursor: string | null
  /** The upstream's instant, which decides the hour. A message without rows moves the stream on. */
  at: Micros
  rows: Rows
  rejected?: RejectedRow[]
  /** Why messages between the last one and this one are missing, where the upstream shows that they are. */
  gap?: string
}

/**
 * A source that is pushed to us. The activity `stream` reads one part of it for some minutes from the stored cursor on,
 * and is called again and again by the follow of that part. It fills the current hour, which is rewritten whole every
 * few seconds, and closes it `settle_s` after its end by the stream's own clock. Nothing of it is planned or pulled.
 */
export type StreamSource = SourceBase & {
  kind: 'stream'
  unit: 'hour'
  /** Seconds without a message until a connection counts as dead. */
  silence_s: number
  /** The connection that continues after a cursor; null: from now on. Messages may come again, by their keys. */
  connect: (part: Part, cursor: string | null) => StreamRequest
  /** Parses a message; null: it says nothing. `after` is the cursor of the last one. */
  parse: (text: string, after: string | null) => StreamEvent | null
}

export type Source = PullSource | StreamSource

const snakeCase = /^[a-z]+(_[a-z0-9]+)*$/

/** Checks what the type cannot: names and numbers that the rest relies on. */
export const defineSource = <S extends Source>(source: S): S => {
  if (!snakeCase.test(source.name)) throw new Error(`source name ${source.name}: use snake_case`)
  if (source.kind !== 'stream' && source.unit === 'blocks' && source.watermark === undefined)
    throw new Error(`source ${source.name}: its units are blocks; expected a watermark`)
  if (source.datasets.length === 0) throw new Error(`source ${source.name} fills no dataset`)
  for (const { name } of source.parts.flatMap(({ upstreams }) => upstreams)) {
    if (!snakeCase.test(name)) throw new Error(`source ${source.name}, host name ${name}: use snake_case`)
  }
  return source
}
