import type { Lake } from '#lake/lake.ts'
import type { RawReply } from '#lake/raw/segment.ts'
import { listRaw, streamRaw } from '#lake/units/raw_responses.ts'
import { keepRows } from '#lake/units/spilled_rows.ts'
import type { StoreResult } from '#lake/units/store_unit.ts'

import { carryOver } from './carry_over.ts'
import { replayHttp } from './http/http.ts'
import { read } from './read.ts'
import type { Source } from './source.ts'
import { store } from './store.ts'
import { assertPlanned } from './units.ts'
import { watermarkAt } from './watermark.ts'

export type Reparsed = { units: number; rows: number; quarantined: number; failed: { unit: string; reason: string }[] }

/**
 * Reads every unit of a source again from its raw responses, without the network. A corrected parser turns quarantined
 * rows into rows. A unit that cannot be read stays as it is stored.
 */
export async function reparse(
  lake: Lake,
  source: Source,
  onUnit: (done: number, total: number) => void,
): Promise<Reparsed> {
  const tally: Reparsed = { units: 0, rows: 0, quarantined: 0, failed: [] }
  const paths = await listRaw(lake, source.name)
  for (const [index, path] of paths.entries()) {
    try {
      const stored = await reparseUnit(lake, source, path)
      tally.units += 1
      tally.rows += stored.n_rows
      tally.quarantined += stored.n_quarantined
    } catch (error) {
      tally.failed.push({ unit: path, reason: error instanceof Error ? error.message : String(error) })
    }
    onUnit(index + 1, paths.length)
  }
  return tally
}

async function reparseUnit(lake: Lake, declared: Source, path: string): Promise<StoreResult> {
  const source = assertPlanned(declared)
  const { unit, at, replies, watermark = watermarkAt(source, at) } = await streamRaw(lake, path)
  const kept = keepRows(lake)
  try {
    const asked = new Set<string>()
    const noted = withHosts(replies, asked)
    // A source with bodies of its own has units of a bounded size.
    const bodies = source.reparse === undefined ? [] : await bodiesOf(noted)
    const get = replayHttp(noted)
    // An observation stores changes since the previous observation, so each unit is parsed after the earlier units
    // were rewritten.
    const tools = { get, at, watermark, lake, bodies, kept }
    const reading = await lake.read((reader) => read(source, unit, { ...tools, reader }))
    if (reading === undefined) throw new Error('unchanged; expected the rows of the raw responses')
    return await store(lake, unit, await carryOver(lake, unit, reading), { asked })
  } finally {
    await replies.return(undefined)
    await kept.close()
  }
}

/** Notes the hosts of responses as they are read. */
async function* withHosts(replies: AsyncIterable<RawReply>, asked: Set<string>): AsyncGenerator<RawReply, void> {
  for await (const reply of replies) {
    for (const host of reply.host.split(',')) asked.add(host)
    yield reply
  }
}

async function bodiesOf(replies: AsyncIterable<RawReply>): Promise<string[]> {
  const bodies: string[] = []
  for await (const { body } of replies) bodies.push(body)
  return bodies
}
