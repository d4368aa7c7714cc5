import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The repository's files by path. Binary files and recorded data have a path here, but their text is empty. */
export async function repositoryFiles(root: string): Promise<Map<string, string>> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await promisify(execFile)('git', listing, { cwd: root, maxBuffer: 1 << 26 })
  const files = new Map<string, string>()
  for (const path of [...new Set(stdout.split('\0'))].filter((name) => name !== '').toSorted()) {
    const found = await stat(join(root, path)).catch(() => undefined)
    if (found?.isFile() !== true) continue
    files.set(path, isText(path) ? await readFile(join(root, path), 'utf8') : '')
  }
  return files
}

function isText(path: string): boolean {
  return /\.(tsx?|js|css|sql|md|html|yml)$|(^|\/)package\.json$/.test(path)
}
