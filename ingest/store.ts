import type { Lake } from '#lake/lake.ts'
import type { RawKeeper } from '#lake/units/raw_responses.ts'
import { storeUnit, type StoreResult } from '#lake/units/store_unit.ts'
import type { Unit } from '#lake/units/unit.ts'

import type { UnitReading } from './read.ts'

/**
 * Stores a reading: its raw responses, then its rows and its coverage in one commit. `asked` are the hosts that were
 * asked. Without `raw` the stored responses stay, since the reading is of them.
 */
export async function store(
  lake: Lake,
  unit: Unit,
  { from, bodies = [], isKnown: _, ...contents }: UnitReading,
  { asked, raw }: { asked: ReadonlySet<string>; raw?: Pick<RawKeeper, 'keep' | 'store'> },
): Promise<StoreResult> {
  const hosts = [...asked].sort()
  // A body of its own is made by the source from the responses of several hosts.
  for (const body of bodies) await raw?.keep({ host: hosts.join(), path: '', query: '', status: 200, body })
  await raw?.store()
  // The start of the complete part is not in the path of a history.
  return storeUnit(lake, { ...unit, from }, { ...contents, asked: hosts })
}
