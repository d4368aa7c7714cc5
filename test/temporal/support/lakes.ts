import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

import { parquetFiles } from '#test/pipeline/lakefiles.ts'

/** What may differ between two runs over the same world: who was asked, and when. */
const volatile = new Set(['asked', 'verified', 'upstream_at', 'checked_at'])

export type LakeImage = { files: Record<string, string>; coverage: Record<string, unknown[]> }

/** All that two lakes must share: every Parquet file by its bytes, and every coverage entry but for who was asked. */
export async function imageOf(home: string): Promise<LakeImage> {
  return { files: await parquetFiles(home), coverage: await coverageOf(home) }
}

/** Coverage entries by the file that they are in. */
export async function coverageOf(home: string): Promise<Record<string, Record<string, unknown>[]>> {
  const root = join(home, 'lake', 'coverage')
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ndjson'))
  const read = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const rows = (await readFile(path, 'utf8')).trim().split('\n')
    return [relative(root, path), rows.map((row) => withoutVolatile(JSON.parse(row)))] as const
  })
  return Object.fromEntries((await Promise.all(read)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const withoutVolatile = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !volatile.has(name)))
