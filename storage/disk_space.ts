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
