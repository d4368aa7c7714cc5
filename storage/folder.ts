import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'

import type { Storage } from './storage.ts'

/** A storage in a folder of this machine. */
export type Folder = Storage & {
  /** The file's bytes; undefined if there is no file. */
  get: (path: string) => Promise<Buffer | undefined>
  /** The local file of a path, whether or not it exists. */
  locate: (path: string) => string
}

/** Marks the names of unfinished files, which `list` does not show. */
const unfinished = '.tmp-'

/** A storage in a folder. Writes go to a file beside the target, then fsync, then rename. */
export function openFolder(root: string): Folder {
  const base = resolve(root)
  const locate = (path: string): string => join(base, path)

  return {
    root: `${base}/`,
    locate,
    localFile: (path) => Promise.resolve(locate(path)),
    read: (path) => createReadStream(locate(path)),
    has: async (path) => (await modified(locate(path))) !== undefined,
    modifiedAt: (path) => modified(locate(path)),
    get: (path) => readFile(locate(path)).catch(noneIfMissing),
    put: (path, body) => finish(locate(path), body),
    move: async (from, to) => {
      await mkdir(dirname(locate(to)), { recursive: true })
      return rename(locate(from), locate(to)).then(
        () => true,
        (error: unknown) => noneIfMissing(error) ?? false,
      )
    },
    list: async (prefix) => {
      const files = await filesBelow(locate(prefix))
      return files.map((file) => relative(base, file).split(sep).join('/')).sort()
    },
    delete: (path) => rm(locate(path), { force: true }),
  }
}

/** The finished files below a folder. A folder that does not exist, or is removed meanwhile, has none. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(noneIfMissing)) ?? []
  const files = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() && !entry.name.includes(unfinished) ? [path] : []
  })
  return (await Promise.all(files)).flat()
}

/** Writes a body beside its target, unless it is a finished file, and renames it once it is on disk. */
async function finish(target: string, body: Buffer | { file: string }): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  const source = 'file' in body ? body.file : `${target}${unfinished}${randomUUID()}`
  try {
    const handle = await open(source, 'file' in body ? 'r+' : 'wx')
    try {
      if (!('file' in body)) await handle.writeFile(body)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(source, target)
  } catch (error) {
    await rm(source, { force: true })
    throw error
  }
}

/** Undefined for the error of a missing file; other errors are thrown. */
function noneIfMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return undefined
  throw error
}

const modified = async (file: string): Promise<number | undefined> => {
  const stats = await stat(file).catch(noneIfMissing)
  return stats && Math.round(stats.mtimeMs * 1_000)
}
