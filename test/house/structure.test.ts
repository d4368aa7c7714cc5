import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { repositoryFiles } from '#scripts/structure/files.ts'
import { findings } from '#scripts/structure/findings.ts'
import { loader } from '#test/run/loader.ts'

const run = promisify(execFile)
const house = resolve(import.meta.dirname, '..', '..')

const manifest = { imports: { '#wire': { node: './lib/one.ts', default: './lib/two.ts' }, '#*': './*' } }
let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tapeline-structure-'))
  await run('git', ['init', '--quiet', root])
  await write({ 'package.json': JSON.stringify(manifest), 'lib/a.ts': '' })
})
afterEach(() => rm(root, { recursive: true }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

/** The violations of the planted repository, all rules together. */
async function violations(): Promise<string[]> {
  return findings(await repositoryFiles(root)).flatMap((finding) => finding.violations)
}

describe('imports', () => {
  it.each([
    ['import type', "import type { B } from './b.ts'"],
    ['an inline type', "import { type B } from './b.ts'"],
    ['export from', "export { b } from './b.ts'"],
    ['export type from', "export type * from './b.ts'"],
    ['several lines', "import {\n  one,\n  two,\n} from './b.ts'"],
    ['a side effect', "import './b.ts'"],
    ['a dynamic import', "const b = await import('./b.ts')"],
    ['the root', "import { b } from '#lib/b.ts'"],
  ])('reports a circle closed by %s', async (_, statement) => {
    await write({ 'lib/a.ts': statement, 'lib/b.ts': "import type { A } from './a.ts'" })
    expect(await violations()).toEqual(['lib/a.ts <-> lib/b.ts'])
  })

  it('reports a circle of three files across folders once', async () => {
    await write({
      'lib/a.ts': "import type { B } from '#app/b.ts'",
      'app/b.ts': "import type { C } from './deep/c.ts'",
      'app/deep/c.ts': "import type { A } from '#lib/a.ts'",
    })
    expect(await violations()).toEqual(['app/b.ts <-> app/deep/c.ts <-> lib/a.ts'])
  })

  it.each(['one', 'two'])('follows an alias of package.json to all its files: %s', async (name) => {
    await write({
      'lib/a.ts': "import { x } from '#wire'",
      [`lib/${name}.ts`]: "import type { A } from './a.ts'",
    })
    expect(await violations()).toEqual([`lib/a.ts <-> lib/${name}.ts`])
  })

  it('ignores files that git ignores', async () => {
    await write({
      '.gitignore': 'data/\n',
      'data/a.ts': "import type { B } from './b.ts'",
      'data/b.ts': "import type { A } from './a.ts'",
    })
    expect(await violations()).toEqual([])
  })

  it('accepts a diamond', async () => {
    await write({
      'lib/a.ts': "import { b } from './b.ts'\nimport { c } from './c.ts'",
      'lib/b.ts': "import { d } from './d.ts'",
      'lib/c.ts': "import { d } from './d.ts'",
      'lib/d.ts': '',
    })
    expect(await violations()).toEqual([])
  })
})

describe('the command', () => {
  const command = (): Promise<{ code: number; out: string }> =>
    run(process.execPath, [...loader, join(house, 'scripts/structure.ts'), root], { cwd: house }).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, out: error.stdout }),
    )

  it('exits with 1 on a violation, and with 0 without one', async () => {
    expect(await command()).toEqual({ code: 0, out: expect.stringMatching(/^(.+: none\n)+$/) })
    await write({ 'lib/b.ts': "import type { C } from './c.ts'", 'lib/c.ts': "import type { B } from './b.ts'" })
    const { code, out } = await command()
    expect(code).toBe(1)
    expect(out).toContain('  lib/b.ts <-> lib/c.ts')
  })
})
