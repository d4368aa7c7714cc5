import type { Storage } from './storage.ts'

/**
 * A storage of which only the files of some units are listed: those whose path, without dataset and extension, begins
 * with one of `begins`. Files that were joined over a range that holds one of these are listed too, and folders are
 * looked into whole or not at all, so that which files supersede which is decided as over all of them.
 */
export const narrowed = (storage: Storage, begins: readonly string[]): Storage => ({
  ...storage,
  list: async (root) => {
    const folders = new Set(begins.map((begin) => begin.slice(0, Math.max(begin.lastIndexOf('/'), 0))))
    const listed = await Promise.all([...folders].map((folder) => storage.list(`${root}/${folder}`)))
    const isAsked = (path: string): boolean => {
      const unit = path.slice(root.length + 1).replace(/\.[a-z.]+$/, '')
      return begins.some((begin) => unit.startsWith(begin) || begin.startsWith(unit))
    }
    return [...new Set(listed.flat())].filter(isAsked).sort()
  },
})
