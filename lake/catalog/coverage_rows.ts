import { z } from 'zod'

import type { Coverage } from '#lake/datasets/index.ts'

import type { CoverageRow } from './tables.ts'

const names = z.array(z.string())

/** Lists of hosts by their JSON. They are few, and each is parsed once. */
const lists = new Map<string, string[]>()
function namesIn(json: string): string[] {
  const list = lists.get(json) ?? names.parse(JSON.parse(json))
  lists.set(json, list)
  return list
}

/** A row of the catalog as a coverage entry. */
export const toCoverage = ({ asked, verified, ...row }: CoverageRow): Coverage => ({
  ...row,
  asked: namesIn(asked),
  verified: namesIn(verified),
})

/** A coverage entry as a row of the catalog. */
export const toCoverageRow = ({ asked, verified, ...entry }: Coverage): CoverageRow => ({
  ...entry,
  asked: JSON.stringify(asked),
  verified: JSON.stringify(verified),
})

/**
 * The metadata of a data file: the coverage of its units, without the facts of one reading, which differ between two
 * readings of the same rows, and the codes of the reason, which follow from its sentence. Together with the rows it is all that a catalog needs to be rebuilt. Only a merged file
 * knows digests: those of the files that it replaced.
 */
export const unitMetadata = (world: string, entries: readonly Coverage[]): string =>
  JSON.stringify({
    world,
    entries: entries.map(
      ({
        asked: _asked,
        verified: _verified,
        checked_at: _checked_at,
        upstream_at: _upstream_at,
        n_read: _n_read,
        n_rejected: _n_rejected,
        reason_code: _reason_code,
        gaps: _gaps,
        resume: _resume,
        ...entry
      }) => entry,
    ),
  })
