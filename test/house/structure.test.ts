import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { repositoryFiles } from '#scripts/structure/files.ts'
import { findings } from '#scripts/structure/findings.ts'

const run = promisify(execFile)
const house = resolve(import.meta.dirname, '..', '..')

const manifest = { imports: { '#wire': { node: './lib/one.ts', default: './lib/two.ts' }, '#*': './*' } }
const glossary = `
| term    | meaning       | instead of                                |
| ------- | ------------- | ----------------------------------------- |
| tool    | What is used  | \`gizmo\`, \`gizmos\`; thing in general       |
| storage | Where rows go | \`barn\` in \`lib/\`, \`docs/\`; \`silo\`         |
`
const long = (text: string): string => `${text}\n${'//\n'.repeat(19)}`

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tapeline-structure-'))
  await run('git', ['init', '--quiet', root])
  await write({ 'package.json': JSON.stringify(manifest), 'docs/glossary.md': glossary, 'lib/a.ts': long('') })
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

describe('folders', () => {
  const filesOf = (n: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`lib/data/${i}.json`, '{}']))

  it('reports a folder with 16 files', async () => {
    await write(filesOf(16))
    expect(await violations()).toEqual(['lib/data/: 16 files'])
  })

  it('accepts 15 files and a subfolder', async () => {
    await write({ ...filesOf(15), 'lib/data/more/1.json': '{}' })
    expect(await violations()).toEqual([])
  })

  it('ignores files that git ignores', async () => {
    await write({ ...filesOf(16), '.gitignore': 'data/\n' })
    expect(await violations()).toEqual([])
  })
})

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
    await write({ 'lib/a.ts': long(statement), 'lib/b.ts': long("import type { A } from './a.ts'") })
    expect(await violations()).toEqual(['lib/a.ts <-> lib/b.ts'])
  })

  it('reports a circle of three files across folders once', async () => {
    await write({
      'lib/a.ts': long("import type { B } from '#app/b.ts'"),
      'app/b.ts': long("import type { C } from './deep/c.ts'"),
      'app/deep/c.ts': long("import type { A } from '#lib/a.ts'"),
    })
    expect(await violations()).toEqual(['app/b.ts <-> app/deep/c.ts <-> lib/a.ts'])
  })

  it.each(['one', 'two'])('follows an alias of package.json to all its files: %s', async (name) => {
    await write({
      'lib/a.ts': long("import { x } from '#wire'"),
      [`lib/${name}.ts`]: long("import type { A } from './a.ts'"),
    })
    expect(await violations()).toEqual([`lib/a.ts <-> lib/${name}.ts`])
  })

  it('accepts a diamond', async () => {
    await write({
      'lib/a.ts': long("import { b } from './b.ts'\nimport { c } from './c.ts'"),
      'lib/b.ts': long("import { d } from './d.ts'"),
      'lib/c.ts': long("import { d } from './d.ts'"),
      'lib/d.ts': long(''),
    })
    expect(await violations()).toEqual([])
  })
})

describe('small files', () => {
  it('reports 19 lines and accepts 20', async () => {
    await write({ 'lib/b.ts': '//\n'.repeat(19), 'lib/c.ts': '//\n'.repeat(20) })
    expect(await violations()).toEqual(['lib/b.ts: 19 lines'])
  })

  it('accepts entries', async () => {
    const entries = [
      'lib/index.ts',
      'x.config.ts',
      'bin/main.ts',
      'scripts/x.ts',
      'test/x.test.ts',
      'test/lib/worker.ts',
    ]
    await write({ ...Object.fromEntries(entries.map((path) => [path, ''])), 'lib/x.sql': 'select 1' })
    expect(await violations()).toEqual([])
  })
})

describe('words', () => {
  it.each([
    ['a comment', 'lib/b.ts', long('// a Gizmo here'), 1],
    ['a part of a camel-case name', 'lib/b.ts', long('const x = 1\nconst useGizmo = 2'), 2],
    ['a part of an upper-case name', 'lib/b.ts', long('const GIZMO_MS = 2'), 1],
    ['SQL', 'lib/b.sql', 'select n_gizmo', 1],
    ['documentation', 'README.md', 'Take the gizmo.', 1],
    ['a path', 'lib/gizmo.ts', long(''), 0],
  ])('reports a word of the glossary in %s', async (_, path, text, line) => {
    await write({ [path]: text })
    expect(await violations()).toEqual([`${path}:${line}: "gizmo"; the glossary has: tool`])
  })

  it('reports a word with folders in these folders only', async () => {
    await write({ 'lib/b.ts': long('// barn'), 'app/b.ts': long('// barn, silo') })
    expect(await violations()).toEqual([
      'app/b.ts:1: "silo"; the glossary has: storage',
      'lib/b.ts:1: "barn"; the glossary has: storage',
    ])
  })

  it('accepts longer words and words without code font', async () => {
    await write({ 'lib/b.ts': long('// gizmological thing') })
    expect(await violations()).toEqual([])
  })
})

describe('the command', () => {
  const command = (): Promise<{ code: number; out: string }> =>
    run(process.execPath, ['--import', 'tsx', join(house, 'scripts/structure.ts'), root], { cwd: house }).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, out: error.stdout }),
    )

  it('exits with 1 on a violation of each rule, and with 0 without one', async () => {
    expect(await command()).toEqual({ code: 0, out: expect.stringMatching(/^(.+: none\n){4}$/) })
    await write({
      ...Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`lib/data/${i}.json`, '{}'])),
      'lib/b.ts': "import type { C } from './c.ts'",
      'lib/c.ts': long("import type { B } from './b.ts' // gizmo"),
    })
    const { code, out } = await command()
    expect(code).toBe(1)
    for (const line of ['lib/data/: 16 files', 'lib/b.ts <-> lib/c.ts', 'lib/b.ts: 1 lines', 'lib/c.ts:1: "gizmo"'])
      expect(out).toContain(`  ${line}`)
  })
})
