import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { machineClock } from '#time.ts'

/** The folders that this process has opened: a later process may have the same number. */
const own = new Set<string>()

/** Numbers of processes mean something on one machine, or in one container: each is a host with a name of its own. */
const here = `${hostname()}-`
/** Whoever works writes into its folder more often than that. */
const abandoned_ms = 86_400_000

/**
 * Names a folder for unfinished files that no other opening shares, and removes those that processes left which died.
 * The folder is made by whoever writes into it first. Of processes elsewhere that share the home it cannot be known
 * whether they live: what they left goes when it has not been touched for a day.
 */
export async function openScratch(root: string): Promise<string> {
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name)
    const isLeft = name.startsWith(here) ? isOfDead(path, name.slice(here.length)) : await isAbandoned(path)
    if (isLeft) await rm(path, { recursive: true, force: true })
  }
  const folder = join(root, `${here}${process.pid}-${randomUUID().slice(0, 8)}`)
  own.add(folder)
  return folder
}

function isOfDead(path: string, name: string): boolean {
  const pid = Number(name.split('-')[0])
  return pid === process.pid ? !own.has(path) : !isAlive(pid)
}

/** One that is gone meanwhile has been removed by its owner. */
const isAbandoned = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => machineClock() / 1000 - mtimeMs > abandoned_ms,
    () => false,
  )

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
