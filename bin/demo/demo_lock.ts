import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

import Libsql from 'libsql'

import { refuseSecondDemo } from './running_demos.ts'

/**
 * Takes a home for the demo of this process, before that deletes what is there. Throws if another demo has it. The lock
 * is a transaction of SQLite in a file beside the home, so that the system ends it with the process. Returns its end.
 */
export async function lockDemo(home: string): Promise<() => Promise<void>> {
  await refuseSecondDemo(home)
  // A demo that has just begun listens nowhere yet.
  await mkdir(dirname(home), { recursive: true })
  const database = new Libsql(`${home}.lock`)
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (!isLocked(error)) throw error
    throw new Error(`${home}: another demo begins in it; expected its end, or another TAPELINE_HOME`, { cause: error })
  }
  return async () => void database.close()
}

const isLocked = (error: unknown): boolean => error instanceof Error && error.message.includes('locked')
