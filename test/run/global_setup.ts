import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runFolder } from './once.ts'

/** Creates the shared folder of a run; vitest calls the returned function at the end. */
export async function setup(): Promise<() => Promise<void>> {
  // The processes that tests start keep their compiled code there, as the commands do.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-run-'))
  process.env[runFolder] = folder
  return async () => {
    delete process.env[runFolder]
    await rm(folder, { recursive: true, force: true })
  }
}
