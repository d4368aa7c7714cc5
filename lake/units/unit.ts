import { createHash } from 'node:crypto'

import type { Micros } from '#time.ts'

/**
 * The kind of a unit, which decides its id:
 *  - `history`: all of one market or account;
 *  - `hour`: one UTC hour of a feed;
 *  - `observation`: one reading of a changing list;
 *  - `blocks`: a range of blocks of one chain, of one account if it has a key.
 */
export type UnitKind = 'history' | 'hour' | 'observation' | 'blocks'

/** The unit of measure of `from` and `to`: microseconds, or block numbers. */
export const spanOf = (kind: UnitKind): 'time' | 'blocks' => (kind === 'blocks' ? 'blocks' : 'time')

/** The smallest piece of work that is stored whole. Its id is a pure function of it. */
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
  /** The requested items, where the key and the window do not name them (tokens of a market, markets of a day). */
  params: string[]
  /** Pull it although it is covered: rows that it lacks have become known. */
  forceRefresh?: boolean
  /** A complete reading replaces stored rows that it lacks: the operator has proved that they are wrong. */
  acceptLoss?: boolean
}

const stamp = (at: Micros): string => new Date(at / 1000).toISOString()
const blockName = (block: number): string => String(block).padStart(12, '0')

/** `<key>`, `2026-11-20T13`, `2026-11-20T1305`, `000019000000-000019000999` or `<key>/000019000000-000019000999`. */
const nameOf = (unit: Unit): string => {
  if (unit.kind === 'blocks') {
    const range = `${blockName(unit.from)}-${blockName((unit.to ?? unit.from + 1) - 1)}`
    return unit.key === '' ? range : `${unit.key}/${range}`
  }
  if (unit.kind === 'history') return unit.key
  if (unit.kind === 'hour') return stamp(unit.from).slice(0, 13)
  return stamp(unit.from).slice(0, 16).replace(':', '')
}

/** The id of a unit: its source, its part, and its key or its window. */
export const unitPath = (unit: Unit): string => `${unit.source}/${unit.part}/${nameOf(unit)}`

/**
 * The path of the files of a unit, without an extension. Keys are many, so two letters of a hash divide their folder.
 */
function filePath(id: string, key: string): string {
  if (key === '' || !id.endsWith(`/${key}`)) return id
  return `${id.slice(0, -key.length)}${createHash('md5').update(key).digest('hex').slice(0, 2)}/${key}`
}

/** The path of a data file of a unit, by the id and key of the unit, below the folder of its dataset. */
export const dataPathOf = (id: string, key: string, digest: string): string =>
  `${filePath(id, key)}.${digest.slice(0, 12)}.parquet`

export const dataPath = (unit: Unit, digest: string): string => dataPathOf(unitPath(unit), unit.key, digest)

/** The path of the raw responses of a unit, by its id and key. */
export const rawPathOf = (id: string, key: string): string => `raw/${filePath(id, key)}.ndjson.zst`

export const rawPath = (unit: Unit): string => rawPathOf(unitPath(unit), unit.key)
