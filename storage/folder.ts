import { randomUUID } from 'node:crypto'
import { constants, copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve, sep } from 'node:path'

import { etagOf, type Storage } from './storage.ts'

/** Marks the names of unfinished files, which `list` does not show. */
const unfinished = '.tmp-'
/** A lock of `putIfMatch` that is older than this belongs to a dead process. */
const staleLock_ms = 10_000

/** A storage in a folder. Writes go to a file beside the target, then fsync, then rename. */
export function openFolder(root: string): Storage {
  const base = resolve(root)
  const locate = (path: string): string => join(base, path)

  const put: Storage['put'] = (path, body) => finish(locate(path), body, rename)

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
    has: async (path) => (await modified(locate(path))) !== undefined,
    modifiedAt: (path) => modified(locate(path)),
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
      underLock(`${locate(path)}${unfinished}lock`, async () => {
        const stored = await get(path)
        if ((stored === undefined ? null : etagOf(stored)) !== etag) return false
        if (etag === null) return finish(locate(path), body, create)
        await put(path, body)
        return true
      }),
    delete: (path) => rm(locate(path), { force: true }),
    pin: async (paths, folder) => {
      await mkdir(folder, { recursive: true })
      const names = paths.map((path, n) => ({ path: locate(path), name: join(folder, `${n}${extname(path)}`) }))
      const isThere = await Promise.all(names.map(({ path, name }) => hold(path, name)))
      return names.filter((_, n) => isThere[n]).map(({ name }) => name)
    },
  }
}

/** Writes a body beside its target, unless it is a finished file, and renames it once it is on disk. */
async function finish<T>(
  target: string,
  body: Buffer | { file: string },
  move: (source: string, target: string) => Promise<T>,
): Promise<T> {
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
    return await move(source, target)
  } catch (error) {
    await rm(source, { force: true })
    throw error
  }
}

/**
 * Creates a name for a file; false if the name exists. It is also false for a process that paused for longer than its
 * lock lasts.
 */
async function create(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target)
  } catch (error) {
    if (hasCode(error, ['EEXIST'])) return false
    if (!hasCode(error, noLinks)) throw error
    await rename(source, target)
  } finally {
    await rm(source, { force: true })
  }
  return true
}

/** The error codes of file systems without links, or without links between these two places. */
const noLinks = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/**
 * Creates a second name for a file, or a copy if the file system has no links; false if the file does not exist. An
 * existing name is an error: a copy would overwrite the file that it names.
 */
async function hold(path: string, name: string): Promise<boolean> {
  try {
    await link(path, name).catch((error: unknown) => {
      if (!hasCode(error, noLinks)) throw error
      return copyFile(path, name, constants.COPYFILE_EXCL)
    })
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

const isMissing = (error: unknown): boolean => hasCode(error, ['ENOENT', 'ENOTDIR'])

const modified = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ mtimeMs }) => Math.round(mtimeMs * 1_000),
    (error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    },
  )

/** Runs `work` under a lock; false if another process holds it. The lock of a dead process is taken over. */
async function underLock(lock: string, work: () => Promise<boolean>): Promise<boolean> {
  await mkdir(dirname(lock), { recursive: true })
  if (await isStale(lock)) {
    const cleaning = `${lock}-cleaning`
    if (await isStale(cleaning)) await rm(cleaning, { force: true })
    // Serialized, with a second check: otherwise a second cleaner would remove the new lock of the first.
    await holding(cleaning, async () => {
      if (await isStale(lock)) await rm(lock, { force: true })
      return true
    })
  }
  return holding(lock, work)
}

async function isStale(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > staleLock_ms
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Runs `work` while a file of this name exists that this process created; false if it existed before. */
async function holding(lock: string, work: () => Promise<boolean>): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close()
  } catch (error) {
    if (hasCode(error, ['EEXIST'])) return false
    throw error
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}
