import { access, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The variable that names the folder of a run of the tests; `global_setup.ts` makes the folder and removes it. */
export const runFolder = 'TEST_RUN_FOLDER'

/**
 * The path of a file or folder that is made once per run of the tests, and that no test may change. The first test that
 * asks for it makes it; the tests of other processes wait. Undefined outside a run.
 */
export async function oncePerRun(name: string, make: (path: string) => Promise<void>): Promise<string | undefined> {
  const folder = process.env[runFolder]
  if (folder === undefined) return undefined
  const [made, part, lock] = ['', '.part', '.lock'].map((end) => join(folder, `${name}${end}`)) as [
    string,
    string,
    string,
  ]
  while (!(await exists(made))) {
    if (!(await takes(lock))) {
      await sleep(50)
      continue
    }
    try {
      if (await exists(made)) break
      await make(part)
      await rename(part, made)
    } finally {
      await rm(part, { recursive: true, force: true })
      await rm(lock, { recursive: true })
    }
  }
  return made
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Whether this process has got the lock. */
const takes = (lock: string): Promise<boolean> =>
  mkdir(lock).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return false
    },
  )
