import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Every Parquet file of a lake by path, with the sha256 of its bytes. */
export async function parquetFiles(home: string): Promise<Record<string, string>> {
  const root = join(home, 'lake')
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.parquet'))
  const hashed = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    return [
      relative(root, path),
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ] as const
  })
  return Object.fromEntries((await Promise.all(hashed)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
