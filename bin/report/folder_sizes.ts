import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { SourceDisk } from '#lake/disk_use.ts'

/**
 * The bytes of each folder of a home by its name. Files beside them, such as databases, are in the folder `.`. Throws
 * the reason of an aborted signal.
 */
export async function folderSizes(home: string, signal?: AbortSignal): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {}
  for (const entry of await readdir(home, { withFileTypes: true })) {
    const path = join(home, entry.name)
    const name = entry.isDirectory() ? entry.name : '.'
    sizes[name] = (sizes[name] ?? 0) + (entry.isDirectory() ? await sizeBelow(path, signal) : await sizeOf(path))
  }
  return sizes
}

/** A folder or a file that goes meanwhile has no bytes. */
async function sizeBelow(folder: string, signal: AbortSignal | undefined): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    signal?.throwIfAborted()
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? await sizeBelow(path, signal) : await sizeOf(path)
  }
  return bytes
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

const gb = (bytes: number): string => `${(bytes / 1e9).toFixed(3)} GB`

/** The folders and sources as lines of text. */
export const describeDisk = (use: { folders: Record<string, number>; sources: readonly SourceDisk[] }): string[] => [
  ...Object.entries(use.folders)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, bytes]) => `  ${`${name}/`.padEnd(22)} ${gb(bytes)}`),
  ...use.sources.map(({ source, bytes, replaced_bytes, bytes_a_day }) => {
    const growth = bytes_a_day === null ? 'growth not known in the first hour' : `${gb(bytes_a_day)} a day`
    return `  ${source.padEnd(22)} ${gb(bytes)}, ${growth}, ${gb(replaced_bytes)} of replaced files`
  }),
]
