import { statfs } from 'node:fs/promises'

/** Less free space than this is a fault: a unit, its raw responses and a build must fit beside each other. */
const leastFree_bytes = 128 * 1_048_576

/** The free space of a disk, and the fault of too little of it; null if there is enough. */
export type DiskSpace = { free_bytes: number; fault: string | null }

/** The free space that this process may still use on the file system of a folder. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bsize } = await statfs(folder)
  return judgeSpace(bavail * bsize)
}

export const judgeSpace = (free_bytes: number): DiskSpace => ({
  free_bytes,
  fault:
    free_bytes >= leastFree_bytes
      ? null
      : `disk: ${megabytes(free_bytes)} MB free; expected at least ${megabytes(leastFree_bytes)} MB`,
})

const megabytes = (bytes: number): string => Math.floor(bytes / 1_048_576).toLocaleString('en')

/** The disk takes no more data, or is nearly full. A retry would only spend time and the patience of upstreams. */
export class DiskFull extends Error {
  override name = 'DiskFull'
}

/** The codes of Node and PostgreSQL, and of SQLite: of a file, of a quota, and of the index of a log. */
const codes = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  '53100',
  'SQLITE_FULL',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_SHMSIZE',
])
/** The texts of DuckDB, whose errors have no code. */
const texts = /No space left on device|Disk quota exceeded|File too large/

/** Whether a write failed because the disk takes no more data. */
export const isOfFullDisk = (error: unknown): boolean =>
  error instanceof Error && (texts.test(error.message) || ('code' in error && codes.has(String(error.code))))

/** A {@link DiskFull} for an error of a full disk; any other error as it is. */
export const asDiskFault = (error: unknown): unknown =>
  error instanceof Error && isOfFullDisk(error)
    ? new DiskFull(`disk: it takes no more data, ${error.message}; expected free space in TAPELINE_HOME`, {
        cause: error,
      })
    : error
