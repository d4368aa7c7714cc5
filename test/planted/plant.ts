import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { expect } from 'vitest'

import { loader } from '#test/run/loader.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..', '..')

/** The changes of each file of the tree that lists things: a text, and its replacement. */
export type Lines = Record<string, readonly (readonly [from: string, to: string])[]>

/** A copy of the tree with planted files. */
export type Planted = {
  /** Runs a script of this folder in the copy, and returns what it prints as JSON. */
  run: (script: string) => Promise<unknown>
  remove: () => Promise<void>
}

/** Copies the tree, adds the files of folders beside this file, and changes the lists of the tree. */
export async function plant(folders: readonly string[], lines: Lines): Promise<Planted> {
  const copy = await mkdtemp(join(tmpdir(), 'tapeline-planted-'))
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 10_000_000,
  })
  for (const path of new Set(stdout.split('\n').filter((line) => line !== ''))) {
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await copyFile(join(root, path), join(copy, path)).catch((error: NodeJS.ErrnoException) => {
      // A file of the index that was removed.
      if (error.code !== 'ENOENT') throw error
    })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const folder of folders) await cp(join(import.meta.dirname, folder), copy, { recursive: true })
  for (const [path, changes] of Object.entries(lines)) {
    let text = await readFile(join(copy, path), 'utf8')
    for (const [from, to] of changes) {
      expect(text.split(from), `${path}: ${from}`).toHaveLength(2)
      text = text.replace(from, to)
    }
    await writeFile(join(copy, path), text)
  }
  return {
    run: async (script) => {
      const options = { cwd: copy, maxBuffer: 50_000_000 }
      const { stdout: printed } = await run(process.execPath, [...loader, `test/planted/${script}`], options)
      return JSON.parse(printed) as unknown
    },
    remove: () => rm(copy, { recursive: true, force: true }),
  }
}
