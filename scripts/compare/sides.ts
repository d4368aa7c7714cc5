import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const lockFile = 'package-lock.json'
/** Of the text of a command, in bytes. */
const most = { maxBuffer: 64 * 1024 ** 2 }

/** A tree of the repository with its packages, whose commands are run. */
export type Side = { tree: string; folder: string }

/** The id of the tree of a commit. Throws if there is none. */
export async function treeOf(commit: string): Promise<string> {
  const parsed = run('git', ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`], { cwd: root })
  const { stdout } = await parsed.catch((cause: unknown) => {
    throw new Error(`${commit}: unknown; expected a commit`, { cause })
  })
  return stdout.trim()
}

/** Whether a commit, or the history of it, has another commit. */
export async function hasCommit(commit: string, other: string): Promise<boolean> {
  const asked = run('git', ['merge-base', '--is-ancestor', other, commit], { cwd: root })
  return asked.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 1) return false
      throw error
    },
  )
}

/** The id of a tree with the files of the working tree that git does not ignore. The index stays as it is. */
export async function workingTree(scratch: string): Promise<string> {
  const options = { cwd: root, env: { ...process.env, GIT_INDEX_FILE: join(scratch, 'index') } }
  for (const args of [
    ['read-tree', 'HEAD'],
    ['add', '--all'],
  ])
    await run('git', args, options)
  return (await run('git', ['write-tree'], options)).stdout.trim()
}

/**
 * Unpacks a tree into a folder and installs it as `npm ci` does. A tree with the packages of the working tree links
 * them.
 */
export async function openSide(tree: string, folder: string): Promise<Side> {
  await mkdir(folder, { recursive: true })
  const archive = `${folder}.tar`
  await run('git', ['archive', '--output', archive, tree], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  const [locked, ours] = await Promise.all([folder, root].map((path) => readFile(join(path, lockFile), 'utf8')))
  if (locked === ours) {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await run('npm', ['run', 'prepare'], { cwd: folder, ...most })
  } else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, ...most })
  return { tree, folder }
}
