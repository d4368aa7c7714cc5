import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'

import type { Storage } from './storage.ts'

/** A mark in the names of files that are still being written; they are invisible to `list`. */
const unfinished = '.tmp-'
/** A lock of `putIfMatch` older than this was left by a process that died. */
const staleLock_ms = 10_000

/** A storage in a folder: write beside, fsync, rename. */
export function openFolder(root: string): Storage {
  const base = resolve(root)
  const locate = (path: string): string => join(base, path)

  const put: Storage['put'] = async (path, body) => {
    const target = locate(path)
    await mkdir(dirname(target), { recursive: true })
    const source = 'file' in body ? body.file : `${target}${unfinished}${randomUUID()}`
    const handle = await open(source, 'file' in body ? 'r+' : 'wx')
    try {
      if (!('file' in body)) await handle.writeFile(body)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(source, target)
  }

  const get: Storage['get'] = async (path) => {
    try {
      return await readFile(locate(path))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  return {
    locate,
    get,
    put,
    list: async (prefix) => {
      const entries = await readdir(locate(prefix), { recursive: true, withFileTypes: true }).catch(
        (error: unknown) => {
          if (isMissing(error)) return []
          throw error
        },
      )
      return entries
        .filter((entry) => entry.isFile() && !entry.name.includes(unfinished))
        .map((entry) => relative(base, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .sort()
    },
    putIfMatch: (path, body, etag) =>
      underLock(`${locate(path)}.lock`, async () => {
        const stored = await get(path)
        if ((stored === undefined ? null : etagOf(stored)) !== etag) return false
        await put(path, body)
        return true
      }),
    delete: (path) => rm(locate(path), { force: true }),
  }
}

export const etagOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

/** Runs `work` while holding an exclusively created lock file; false when somebody else holds it. */
async function underLock(lock: string, work: () => Promise<boolean>): Promise<boolean> {
  await mkdir(dirname(lock), { recursive: true })
  const left = await stat(lock).catch(() => undefined)
  if (left !== undefined && Date.now() - left.mtimeMs > staleLock_ms) await rm(lock, { force: true })
  const handle = await open(lock, 'wx').catch(() => undefined)
  if (handle === undefined) return false
  try {
    return await work()
  } finally {
    await handle.close()
    await rm(lock, { force: true })
  }
}
