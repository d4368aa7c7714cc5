import { HttpError } from '#ingest/http/http.ts'
import type { Source } from '#ingest/source.ts'
import { assertPlanned, NotListed } from '#ingest/units.ts'
import { WorldMismatch } from '#lake/lake.ts'
import { dropProgress } from '#lake/raw/progress.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { isOfFullDisk } from '#storage/disk_space.ts'
import type { Micros } from '#time.ts'

import { isStranger, readAndStore, type Outcome, type UnitTools } from './read_and_store.ts'
import { isResumable, resumeUnit, type Resumed } from './resume_unit.ts'

/**
 * Reads a unit from its upstream, and stores it with its raw responses. A reading that was killed or failed for a fault
 * of the network or of the machine continues where it was; after any other failure it begins anew.
 */
export async function pullUnit(tools: UnitTools, source: Source, unit: Unit, at: Micros): Promise<Outcome> {
  const { lake, keepRaw, memoryLimit, strangers } = tools
  const turn = memoryLimit.acquire()
  const asked = new Set<string>()
  const attempt = (begun?: Resumed): Promise<Outcome> =>
    readAndStore({ ...tools, turn, asked, at: begun?.reading.at ?? at, begun, shown: { at: null } }, source, unit)
  const canResume = keepRaw && assertPlanned(source).reparse === undefined
  try {
    const begun = canResume ? await resumeUnit(lake, unit, at) : undefined
    if (begun === undefined) return await attempt()
    try {
      return await attempt(begun)
    } catch (error) {
      if (isResumable(error)) throw error
      await dropProgress(lake, unit)
      turn.spill()
      return await attempt()
    }
  } catch (error) {
    // The wrong lake, a full disk and the end of the run are no failures of the unit.
    const isOfRun = error instanceof Error && error.name === 'AbortError'
    if (error instanceof WorldMismatch || isOfFullDisk(error) || isOfRun) throw error
    if (canResume && !isResumable(error)) await dropProgress(lake, unit)
    const failure = error instanceof Error ? error.message : String(error)
    for (const name of askedBefore(error)) asked.add(name)
    // The request of a stranger stays in its queue, so the lake need not remember it.
    if (await isStranger(lake, unit, strangers)) return { failure }
    const { datasets, precedence } = source
    await storeFailure(lake, unit, { datasets, precedence, reason: failure, asked: [...asked].sort(), checkedAt: at })
    return { failure, isNotListed: error instanceof NotListed }
  } finally {
    turn.release()
  }
}

/** The hosts that were asked before an error. */
function askedBefore(error: unknown): readonly string[] {
  const cause = error instanceof NotListed ? error.cause : error
  return cause instanceof HttpError ? cause.asked : []
}
