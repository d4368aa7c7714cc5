import { createHash } from 'node:crypto'

import type { Dataset } from '#lake/datasets/index.ts'
import type { Micros } from '#time.ts'

/**
 * The kind of a unit, which decides its path:
 *  - `history`: all of one market or account;
 *  - `hour`: one UTC hour of a feed;
 *  - `observation`: one reading of a changing list.
 */
export type UnitKind = 'history' | 'hour' | 'observation'

/** The smallest piece of work that is stored whole. Its path is a pure function of it. */
export type Unit = {
  source: string
  kind: UnitKind
  /** The chain, venue or platform. */
  part: string
  /** The market or account of a history; `''` if the unit covers all of them. */
  key: string
  from: Micros
  /** The end; null while the upstream can add to it without limit (an account, an open market). */
  to: Micros | null
  /** Request parameters beyond the key and the window (the tokens of a market, the markets of a day). */
  params: string[]
  /** Pull it although it is covered: rows that it lacks have become known. */
  forceRefresh?: boolean
}

const stamp = (at: Micros): string => new Date(at / 1000).toISOString()

/** `<md5(key)[1:2]>/<key>`, `2026-11-20T13` or `2026-11-20T1305`. */
const place = (unit: Unit): string => {
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
