import { createHash } from 'node:crypto'

import type { Dataset } from '#lake/datasets/index.ts'
import type { Micros } from '#time.ts'

/**
 * The shape of the units of a source, which decides their path:
 *  - `life`: the life of one market or account;
 *  - `hour`: one UTC hour of a stream;
 *  - `instant`: one observation of state that changes.
 */
export type UnitKind = 'history' | 'hour' | 'observation'

/** A piece of work that is pulled whole, and whose path is a pure function of it. */
export type Unit = {
  source: string
  kind: UnitKind
  /** The chain, venue or platform. */
  part: string
  /** The market or account of a life; `''` where the unit is about all of them. */
  key: string
  from: Micros
  /** Where it ends; null while its upstream can still add to it for ever (an account, a market that is open). */
  to: Micros | null
  /** What to ask for, where the key and the window alone do not say it (the tokens of a market, the markets of a day). */
  params: string[]
  /** Pull it although it is covered: the lake has since learned of something that it lacks. */
  forceRefresh?: boolean
}

const stamp = (at: Micros): string => new Date(at / 1000).toISOString()

/** `<md5(key)[1:2]>/<key>`, `2026-11-20T13` or `2026-11-20T1305`. */
const place = (unit: Unit): string => {
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
