import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The folders that this process has opened: a later process may have the same number. */
const own = new Set<string>()

/**
 * Names a folder for unfinished files that no other opening shares, and removes those that processes left which died.
 * The folder is made by whoever writes into it first.
 */
export async function openScratch(root: string): Promise<string> {
  for (const name of await readdir(root).catch(() => [])) {
    const pid = Number(name.split('-')[0])
    const isLeft = pid === process.pid ? !own.has(join(root, name)) : !isAlive(pid)
    if (isLeft) await rm(join(root, name), { recursive: true, force: true })
  }
  const folder = join(root, `${process.pid}-${randomUUID().slice(0, 8)}`)
  own.add(folder)
  return folder
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
