import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { z } from 'zod'

const root = resolve(import.meta.dirname, '..')
const manifestShape = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
})
const namesShape = z.record(z.string(), z.string()).default({})
const lockShape = z.object({
  packages: z.record(z.string(), z.object({ dependencies: namesShape, optionalDependencies: namesShape })),
})
type Packages = z.output<typeof lockShape>['packages']

/**
 * `npx tsx scripts/weigh.ts`: prints the size of each installed dependency, alone and with all its dependencies. A
 * shared dependency counts for each package.
 */
async function weigh(): Promise<void> {
  const manifest = manifestShape.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
  const { packages } = lockShape.parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')))
  process.stdout.write('      alone  with dependencies  packages\n')
  for (const name of [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]) {
    const found = closure(packages, `node_modules/${name}`)
    const sizes = await Promise.all([...found].map(size_kB))
    const own = sizes[0] ?? 0
    const all = sizes.reduce((sum, size) => sum + size, 0)
    process.stdout.write(
      `${megabytes(own)}  ${megabytes(all).padStart(18)}  ${String(found.size).padStart(8)}  ${name}\n`,
    )
  }
}

const megabytes = (size: number): string => `${(size / 1024).toFixed(1)} MB`.padStart(11)

/** The folders of a package and all its dependencies, the package first. */
function closure(packages: Packages, start: string): Set<string> {
  const found = new Set<string>()
  const visit = (path: string): void => {
    const entry = packages[path]
    if (entry === undefined || found.has(path)) return
    found.add(path)
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      visit(resolveFrom(packages, path, name))
    }
  }
  visit(start)
  return found
}

/** The folder of a package as Node resolves it: in the nearest `node_modules` upwards. */
function resolveFrom(packages: Packages, path: string, name: string): string {
  for (let folder = path; folder !== ''; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder}/node_modules/${name}` in packages) return `${folder}/node_modules/${name}`
  }
  return `node_modules/${name}`
}

/** Kilobytes without nested packages, which are counted separately; 0 for binaries of another platform. */
async function size_kB(path: string): Promise<number> {
  const run = promisify(execFile)
  const out = await run('du', ['-sk', '--exclude=node_modules', join(root, path)]).catch(() => undefined)
  return out === undefined ? 0 : Number.parseInt(out.stdout, 10)
}

await weigh()
