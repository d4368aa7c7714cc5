import { createHash } from 'node:crypto'

import type { Dataset } from '#lake/datasets/index.ts'
import type { Micros } from '#time.ts'

/**
 * The shape of the units of a source, which decides their path:
 *  - `history`: the whole history of one market or account;
 *  - `hour`: one UTC hour of a stream;
 *  - `observation`: one observation of state that changes;
 *  - `blocks`: a range of blocks of one chain.
 */
export type UnitKind = 'history' | 'hour' | 'observation' | 'blocks'

/** The unit of measure of `from` and `to`: microseconds, or block numbers. */
export const spanOf = (kind: UnitKind): 'time' | 'blocks' => (kind === 'blocks' ? 'blocks' : 'time')

/** A piece of work that is pulled whole, and whose path is a pure function of it. */
export type Unit = {
  source: string
  kind: UnitKind
  /** The chain, venue or platform. */
  part: string
  /** The market or account of a life; `''` where the unit is about all of them. */
  key: string
  /** The first instant, or the first block. */
  from: number
  /**
   * The end, exclusive: an instant, or the block after the last one. Null while its upstream can still add to it for
   * ever (an account, a market that is open).
   */
  to: number | null
  /** What to ask for, where the key and the window alone do not say it (the tokens of a market, the markets of a day). */
  params: string[]
  /** Pull it although it is covered: the lake has since learned of something that it lacks. */
  forceRefresh?: boolean
}

const stamp = (at: Micros): string => new Date(at / 1000).toISOString()
const blockName = (block: number): string => String(block).padStart(12, '0')

/** `<md5(key)[1:2]>/<key>`, `2026-11-20T13`, `2026-11-20T1305` or `000019000000-000019000999`. */
const place = (unit: Unit): string => {
  if (unit.kind === 'blocks') return `${blockName(unit.from)}-${blockName((unit.to ?? unit.from + 1) - 1)}`
  if (unit.kind === 'history') return `${createHash('md5').update(unit.key).digest('hex').slice(0, 2)}/${unit.key}`
  if (unit.kind === 'hour') return stamp(unit.from).slice(0, 13)
  return stamp(unit.from).slice(0, 16).replace(':', '')
}

/** What identifies a unit among all: its path without dataset. */
export const unitPath = (unit: Unit): string => `${unit.source}/${unit.part}/${place(unit)}`

/** The path of a unit's rows of one dataset. */
export const rowsPath = (dataset: Pick<Dataset, 'name' | 'version'>, unit: Unit): string =>
  `lake/${dataset.name}/v${dataset.version}/${unitPath(unit)}.parquet`

/** The path of a unit's coverage entries: one file, written last, so that it vouches for the others. */
export const coveragePath = (unit: Unit): string => `lake/coverage/v1/${unitPath(unit)}.ndjson`

/** The path of the response bodies that a unit was read from. */
export const rawPath = (unit: Unit): string => `raw/${unitPath(unit)}.ndjson.zst`
