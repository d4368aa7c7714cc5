import { replayHttp } from '#activities/http/http.ts'
import type { Source } from '#activities/source.ts'
import type { Lake } from '#lake/lake.ts'
import { listRaw, readRaw } from '#lake/units/raw_responses.ts'
import { keepRows } from '#lake/units/spilled_rows.ts'

import { carryOverOlderRows } from './carry_over.ts'
import { readUnit, storeReading } from './read_unit.ts'
import { assertPulled } from './units.ts'
import { watermarkAt } from './watermark.ts'

export type Reparsed = { units: number; rows: number; quarantined: number; failed: { unit: string; reason: string }[] }

/**
 * Reads every unit of a source again from its raw responses, without the network. A corrected parser turns quarantined
 * rows into rows. A unit that cannot be read stays as it is stored.
 */
export async function reparse(
  lake: Lake,
  source: Source,
  onUnit: (done: number, of: number) => void,
): Promise<Reparsed> {
  const tally: Reparsed = { units: 0, rows: 0, quarantined: 0, failed: [] }
  const paths = await listRaw(lake, source.name)
  for (const [index, path] of paths.entries()) {
    const kept = keepRows(lake)
    try {
      const { unit, at, replies, watermark = watermarkAt(source, at) } = await readRaw(lake, path)
      const get = replayHttp(replies)
      const asked = new Set(replies.flatMap(({ host }) => host.split(',')))
      const bodies = replies.map(({ body }) => body)
      // An observation stores changes since the previous observation, so each unit is parsed after the earlier units
      // were rewritten.
      const read = await lake.read((reader) =>
        readUnit(assertPulled(source), unit, { get, at, watermark, reader, lake, bodies, kept }),
      )
      if (read === undefined) throw new Error('unchanged; expected the rows of the raw responses')
      const stored = await storeReading(lake, unit, await carryOverOlderRows(lake, unit, read), [...asked])
      tally.units += 1
      tally.rows += stored.n_rows
      tally.quarantined += stored.n_quarantined
    } catch (error) {
      tally.failed.push({ unit: path, reason: error instanceof Error ? error.message : String(error) })
    } finally {
      await kept.close()
    }
    onUnit(index + 1, paths.length)
  }
  return tally
}
