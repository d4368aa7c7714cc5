import { createHash } from 'node:crypto'

import type { Dataset } from '#lake/datasets/index.ts'
import type { Micros } from '#time.ts'

/**
 * The kind of a unit, which decides its path:
 *  - `history`: all of one market or account;
 *  - `hour`: one UTC hour of a feed;
 *  - `observation`: one reading of a changing list;
 *  - `blocks`: a range of blocks of one chain.
 */
export type UnitKind = 'history' | 'hour' | 'observation' | 'blocks'

/** The unit of measure of `from` and `to`: microseconds, or block numbers. */
export const spanOf = (kind: UnitKind): 'time' | 'blocks' => (kind === 'blocks' ? 'blocks' : 'time')

/** The smallest piece of work that is stored whole. Its path is a pure function of it. */
export type Unit = {
  source: string
  kind: UnitKind
  /** The chain, venue or platform. */
  part: string
  /** The market or account of a history; `''` if the unit covers all of them. */
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
  /** Pull it although it is covered: rows that it lacks have become known. */
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

/** The id of a unit: its path without the dataset. */
export const unitPath = (unit: Unit): string => `${unit.source}/${unit.part}/${place(unit)}`

/** The path of a unit's rows of one dataset. */
export const rowsPath = (dataset: Pick<Dataset, 'name' | 'version'>, unit: Unit): string =>
  `lake/${dataset.name}/v${dataset.version}/${unitPath(unit)}.parquet`

/** The path of a unit's coverage entries. This file is written last, since it makes the others count. */
export const coveragePath = (unit: Unit): string => `lake/coverage/v1/${unitPath(unit)}.ndjson`

/** The path of the raw responses of a unit. */
export const rawPath = (unit: Unit): string => `raw/${unitPath(unit)}.ndjson.zst`
