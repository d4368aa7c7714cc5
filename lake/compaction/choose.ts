import type { Micros } from '#time.ts'

import type { Joined } from './manifest.ts'
import { rangeLengths } from './paths.ts'

/** A unit whose own file counts, with what coverage knows of it. */
export type LooseUnit = { name: string; n_rows: number; isClosed: boolean }

/** What counts in a folder, and the units of it that coverage does not call closed, with a file or without one. */
export type Contents = { units: readonly LooseUnit[]; joined: readonly Joined[]; open: readonly string[] }

/** What is to be joined: a range (`''` where units are lives), and its sources. */
export type Join = { range: string; units: readonly LooseUnit[]; joined: readonly Joined[] }

/** A joined file holds at most so many rows; 65 bytes a row, as fills take, make this 128 MB. */
const maxRows = 2_000_000
/** So many files are opened at once: a day of minutes fits, a month of them is joined day by day first. */
const maxFiles = 1_500
/** So long after it has settled a range waits for units that are still open; then it is joined as it is. */
const patience_s = 7 * 86_400

/** The ranges of a folder, and the seconds since all of one was over and settled; negative before. */
type Grid = { lengths: readonly number[]; settledFor_s: (range: string) => number }

export const timeGrid = (now: Micros, settle_s: number): Grid => ({
  lengths: rangeLengths.time,
  settledFor_s: (range) => (now - endOf(range)) / 1_000_000 - settle_s,
})

/** Blocks carry no time: a range of them is over when a later unit is known, and waits for its open units for ever. */
export function blockGrid({ units, joined, open }: Contents): Grid {
  const names = [...units.map(({ name }) => name), ...joined.map(rangeOf), ...open]
  const last = names.reduce((latest, name) => (name > latest ? name : latest), '')
  return {
    lengths: rangeLengths.blocks,
    settledFor_s: (range) => (last > range && !last.startsWith(range) ? 0 : -1),
  }
}

/**
 * The ranges to join on a grid: the longest that are over, settled and closed, and whose rows fit into one file. Units
 * that stay open (not proved, in quarantine, missing) hold a range of time back for a week and then no more: a unit
 * that is stored later finds its way into the joined file.
 */
export function rangesToJoin(contents: Contents, grid: Grid): Join[] {
  const choose = (level: number, { units, joined, open }: Contents): Join[] => {
    const length = grid.lengths[level]
    if (length === undefined) return []
    const starts = [...units.map(({ name }) => name), ...joined.map(rangeOf)].filter((name) => name.length > length)
    return [...new Set(starts.map((name) => name.slice(0, length)))].sort().flatMap((range) => {
      const within: Contents = {
        units: units.filter(({ name }) => name.startsWith(range)),
        joined: joined.filter((entry) => rangeOf(entry).startsWith(range)),
        open: open.filter((name) => name.startsWith(range)),
      }
      const n_files = within.units.length + within.joined.length
      if (n_files < 2) return []
      const settledFor_s = grid.settledFor_s(range)
      const isClosed = within.open.length === 0 && within.units.every((unit) => unit.isClosed)
      const isReady = settledFor_s >= patience_s || (settledFor_s >= 0 && isClosed)
      if (isReady && n_files <= maxFiles && rowsIn(within) <= maxRows) return [{ range, ...within }]
      return choose(level + 1, within)
    })
  }
  return choose(0, contents)
}

const rangeOf = (entry: Joined): string => ('range' in entry ? entry.range : '')

/** The first instant after a range. */
function endOf(range: string): Micros {
  const [year = 0, month = 1, day = 1, hour = 0] = range.split(/[-T]/).map(Number)
  if (range.length === rangeLengths.time[0]) return Date.UTC(year, month) * 1000
  if (range.length === rangeLengths.time[1]) return Date.UTC(year, month - 1, day + 1) * 1000
  return Date.UTC(year, month - 1, day, hour + 1) * 1000
}

/** So many files at least are joined at a time. */
const minFiles = 8

/**
 * Which closed lives of a folder to join: the smallest files, up to one that is no larger than all before it together.
 * The rows of a file so come into one twice as large at least each time, and are written O(log n) times in all; and
 * files of which each is larger than all before it are few. Files of an eighth of the limit and more are left alone.
 */
export function livesToJoin({ units, joined }: Contents): Join[] {
  const closed = units.filter(({ isClosed }) => isClosed)
  const files = [
    ...closed.map((unit) => ({ n_rows: unit.n_rows, name: unit.name, unit, entry: undefined })),
    ...joined.map((entry) => ({ n_rows: entry.n_rows, name: entry.file, unit: undefined, entry })),
  ].toSorted((a, b) => a.n_rows - b.n_rows || (a.name < b.name ? -1 : 1))
  let n_rows = 0
  let n_files = 0
  for (const [index, file] of files.slice(0, maxFiles).entries()) {
    const isDoubled = index + 1 >= minFiles && file.n_rows <= n_rows
    n_rows += file.n_rows
    if (n_rows > maxRows) break
    if (isDoubled) n_files = index + 1
  }
  if (n_files === 0) return []
  const chosen = files.slice(0, n_files)
  return [
    {
      range: '',
      units: chosen.flatMap(({ unit }) => unit ?? []),
      joined: chosen.flatMap(({ entry }) => entry ?? []),
    },
  ]
}

export const rowsIn = ({ units, joined }: Pick<Join, 'units' | 'joined'>): number =>
  [...units, ...joined].reduce((sum, { n_rows }) => sum + n_rows, 0)
