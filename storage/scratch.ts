import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { machineClock } from '#time.ts'

/** The folders of this process. A later process may have the same process id. */
const openFolders = new Set<string>()

/** Process ids are valid on one host or in one container. */
const here = `${hostname()}-`
/** What follows: the name of another host may begin with that of this one, as `worker-2` does with `worker`. */
const ownForm = /^(\d+)-[\da-f]{8}$/
/** An active process writes into its folder more often than this. */
const abandoned_ms = 86_400_000

/**
 * Names a unique folder for unfinished files, and removes the folders of dead processes on this host. The first writer
 * creates the folder. Processes of other hosts cannot be checked: their folders are removed after a day without a
 * change.
 */
export async function openScratch(root: string): Promise<string> {
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name)
    const pid = ownForm.exec(name.startsWith(here) ? name.slice(here.length) : '')?.[1]
    const isLeft = pid === undefined ? await isAbandoned(path) : isOfDead(path, Number(pid))
    if (isLeft) await rm(path, { recursive: true, force: true })
  }
  const folder = join(root, `${here}${process.pid}-${randomUUID().slice(0, 8)}`)
  openFolders.add(folder)
  return folder
}

const isOfDead = (path: string, pid: number): boolean => (pid === process.pid ? !openFolders.has(path) : !isAlive(pid))

/** A folder that disappears meanwhile was removed by its owner. */
const isAbandoned = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => machineClock() / 1000 - mtimeMs > abandoned_ms,
    () => false,
  )

/** Whether a process of this machine is alive, also a process of another user. */
export function isAlive(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
