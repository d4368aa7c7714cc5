import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

import { z } from 'zod'

/** A running demo of this user. */
export type RunningDemo = { home: string; url: string }

const shape = z.object({ home: z.string(), url: z.string() }) satisfies z.ZodType<RunningDemo>
const prefix = (): string => `tapeline-demo-${userInfo().uid}-`

/**
 * Notes that a demo runs in this process, so that commands in any folder find it: in a file of the system's folder of
 * temporary files. Returns the function that removes the note.
 */
export async function noteDemo(demo: RunningDemo): Promise<() => Promise<void>> {
  const path = join(tmpdir(), `${prefix()}${process.pid}.json`)
  await rm(path, { force: true })
  await writeFile(path, JSON.stringify(demo), { flag: 'wx' })
  await chmod(path, 0o600)
  return () => rm(path, { force: true })
}

/** The demos of this user that run now. The note of a demo that was killed is removed. */
export async function runningDemos(): Promise<RunningDemo[]> {
  const found: RunningDemo[] = []
  for (const name of (await readdir(tmpdir())).filter((one) => one.startsWith(prefix()) && one.endsWith('.json'))) {
    const path = join(tmpdir(), name)
    const demo = await readNote(path)
    if (demo && isRunning(Number(name.slice(prefix().length, -'.json'.length)))) found.push(demo)
    else if (demo) await rm(path, { force: true })
  }
  return found
}

/** A note of this user; null for any other file. Others may write into the folder too. */
async function readNote(path: string): Promise<RunningDemo | null> {
  try {
    if ((await stat(path)).uid !== userInfo().uid) return null
    return shape.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return null
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
