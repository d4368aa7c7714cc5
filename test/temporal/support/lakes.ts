import { z } from 'zod'

import { catalogRows, parquetFiles } from '#test/pipeline/lakefiles.ts'

/** Facts of one reading, which differ between two runs over the same world. */
const volatile = new Set(['asked', 'verified', 'upstream_at', 'checked_at', 'begin_snapshot', 'end_snapshot'])

export type LakeImage = { files: Record<string, string>; coverage: Record<string, unknown[]> }

/**
 * All that two lakes must share: every current data file by its bytes, and every coverage entry but its volatile facts.
 */
export async function imageOf(home: string): Promise<LakeImage> {
  return { files: await parquetFiles(home), coverage: await coverageOf(home) }
}

/** The coverage entries by unit. */
export async function coverageOf(home: string): Promise<Record<string, Record<string, unknown>[]>> {
  const select = 'select * from tapeline_coverage where end_snapshot is null order by unit, dataset'
  const units: Record<string, Record<string, unknown>[]> = {}
  for (const row of catalogRows(home, select, z.record(z.string(), z.unknown()))) {
    const entry = Object.fromEntries(Object.entries(row).filter(([name]) => !volatile.has(name)))
    const unit = String(row['unit'])
    units[unit] = [...(units[unit] ?? []), entry]
  }
  return units
}
