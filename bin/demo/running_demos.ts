import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'

import { z } from 'zod'

import { isAlive } from '#storage/scratch.ts'

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
  const demos: RunningDemo[] = []
  for (const name of (await readdir(tmpdir())).filter((file) => file.startsWith(prefix()) && file.endsWith('.json'))) {
    const path = join(tmpdir(), name)
    const demo = await readNote(path)
    if (demo && isAlive(Number(name.slice(prefix().length, -'.json'.length)))) demos.push(demo)
    else if (demo) await rm(path, { force: true })
  }
  return demos
}

/** Throws if a demo of this user runs over a home, which another demo would delete. */
export async function refuseSecondDemo(home: string): Promise<void> {
  for (const demo of await runningDemos()) {
    if (resolve(demo.home) !== resolve(home) || !(await isAnswering(demo.url))) continue
    throw new Error(`${home}: the demo at ${demo.url} runs in it; expected its end, or another TAPELINE_HOME`)
  }
}

/** Whether a service is there: the number of a process that was killed may be that of another one now. */
const isAnswering = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    (error: unknown) => error instanceof Error && error.name === 'TimeoutError',
  )

/** A note of this user; null for any other file. Others may write into the folder too. */
async function readNote(path: string): Promise<RunningDemo | null> {
  try {
    if ((await stat(path)).uid !== userInfo().uid) return null
    return shape.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return null
  }
}
