import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const root = resolve(import.meta.dirname, '..', '..')

/** A row of the table in CONTRIBUTING.md: the folders that its files may import in any form, and as types alone. */
type Row = { files: string[]; values: string[]; types?: string[] }

/** The folders of code. */
const house =
  'accounts activities api bench bin builder engine ingest lake registry scoring scripts signals sim snapshots sources storage test text validation web workflows'.split(
    ' ',
  )
const all = house.map((folder) => `#${folder}/x.ts`).concat('#config.ts', '#time.ts', '#engine')

const lakeSide = ['#lake/x.ts', '#registry/x.ts', '#storage/x.ts', '#time.ts']

const rows: Row[] = [
  { files: ['time.ts'], values: [] },
  { files: ['engine/a.ts'], values: ['#engine/x.ts', '#engine'] },
  { files: ['registry/a.ts', 'registry/chains/a.ts', 'registry/venues/a.ts'], values: ['#registry/x.ts'] },
  { files: ['text/a.ts', 'text/matcher/a.ts'], values: ['#text/x.ts', '#time.ts'] },
  { files: ['accounts/a.ts'], values: ['#accounts/x.ts', '#time.ts'] },
  { files: ['storage/a.ts'], values: ['#storage/x.ts', '#time.ts'] },
  { files: ['lake/a.ts', 'lake/units/a.ts'], values: ['#lake/x.ts', '#storage/x.ts', '#time.ts'] },
  { files: ['ingest/a.ts', 'ingest/http/a.ts'], values: ['#ingest/x.ts', ...lakeSide] },
  {
    files: ['sources/a.ts', 'sources/markets/a.ts'],
    values: ['#sources/x.ts', '#ingest/x.ts', '#lake/x.ts', '#registry/x.ts', '#text/x.ts', '#time.ts'],
  },
  { files: ['snapshots/a.ts'], values: ['#snapshots/x.ts', '#storage/x.ts', '#time.ts'] },
  { files: ['builder/a.ts'], values: ['#builder/x.ts', '#snapshots/x.ts', ...lakeSide] },
  { files: ['signals/a.ts'], values: ['#signals/x.ts', '#builder/x.ts', '#lake/x.ts', '#registry/x.ts', '#time.ts'] },
  {
    files: ['activities/a.ts'],
    values: [
      '#activities/x.ts',
      '#signals/x.ts',
      '#builder/x.ts',
      '#snapshots/x.ts',
      '#sources/x.ts',
      '#ingest/x.ts',
      ...lakeSide,
    ],
  },
  { files: ['workflows/a.ts'], values: ['#engine'], types: all },
  {
    files: ['scoring/a.ts', 'scoring/core/ledger/a.ts'],
    values: ['#scoring/x.ts', '#text/x.ts'],
    types: ['#lake/x.ts', '#builder/x.ts'],
  },
  {
    files: ['scoring/index.ts'],
    values: ['#scoring/x.ts', '#text/x.ts', '#builder/load.ts'],
    types: ['#lake/x.ts', '#builder/x.ts'],
  },
  {
    files: ['validation/a.ts'],
    values: ['#validation/x.ts', '#scoring/x.ts', '#text/x.ts', '#builder/x.ts', '#snapshots/x.ts', ...lakeSide],
  },
  {
    files: ['api/a.ts', 'api/http/a.ts'],
    values: ['#api/x.ts', '#snapshots/x.ts', '#accounts/x.ts', '#registry/x.ts', '#time.ts'],
  },
  { files: ['sim/a.ts', 'sim/markets/a.ts'], values: ['#sim/x.ts', '#time.ts'] },
  {
    files: ['config.ts'],
    values: [
      '#api/messaging/messengers.ts',
      '#sources/declared.ts',
      '#sources/index.ts',
      '#ingest/setting.ts',
      '#registry/x.ts',
      '#storage/folder.ts',
      '#storage/storages.ts',
      '#engine/temporal_settings.ts',
    ],
    types: ['#api/x.ts', '#sources/x.ts', '#ingest/x.ts', '#storage/x.ts'],
  },
  { files: ['web/a.ts', 'web/ui/a.tsx'], values: ['#web/x.ts'] },
  { files: ['bin/a.ts', 'test/a.ts', 'bench/a.ts', 'scripts/a.ts'], values: all },
]

type Form = { name: string; isType: boolean; write: (from: string, name: string) => string }

const forms: Form[] = [
  { name: 'static', isType: false, write: (from, name) => `import { ${name} } from '${from}'` },
  { name: 'side effect', isType: false, write: (from) => `import '${from}'` },
  { name: 'export from', isType: false, write: (from, name) => `export { ${name} } from '${from}'` },
  { name: 'export all', isType: false, write: (from) => `export * from '${from}'` },
  { name: 'dynamic', isType: false, write: (from, name) => `const ${name} = await import('${from}')` },
  { name: 'type', isType: true, write: (from, name) => `import type { ${name} } from '${from}'` },
  { name: 'inline type', isType: true, write: (from, name) => `import { type ${name} } from '${from}'` },
  { name: 'export type', isType: true, write: (from, name) => `export type { ${name} } from '${from}'` },
]

/** One import planted on a line of its own. */
type Plant = { what: string; line: string; isAllowed: boolean }

const plantsOf = ({ values, types = [] }: Row): Plant[] =>
  [...new Set([...all, ...values])].flatMap((from) =>
    forms.map(({ name, isType, write }, n) => ({
      what: `${from}, ${name}`,
      line: write(from, `${from.replaceAll(/\W/g, '_')}${n}`),
      isAllowed: values.includes(from) || (isType && types.includes(from)),
    })),
  )

const planted = new Map(rows.flatMap((row) => row.files.map((file) => [file, plantsOf(row)] as const)))

/** Detours: imports whose permission does not follow from a row of the table alone. */
const detours: Record<string, Plant[]> = {
  'workflows/b.ts': [
    { what: 'a built-in', line: `import { readFileSync } from 'node:fs'`, isAllowed: false },
    { what: 'a library', line: `import { z } from 'zod'`, isAllowed: false },
    { what: 'a neighbour', line: `import { x } from './x.ts'`, isAllowed: true },
  ],
  'web/b.ts': [
    { what: 'a built-in', line: `import { readFileSync } from 'node:fs'`, isAllowed: false },
    { what: 'the parent folder', line: `import { a } from '../sim/x.ts'`, isAllowed: false },
    { what: 'a library', line: `import { z } from 'zod'`, isAllowed: true },
    { what: 'a neighbour', line: `import { g } from './x.ts'`, isAllowed: true },
  ],
  'api/b.ts': [
    { what: 'the parent folder', line: `import { a } from '../sim/x.ts'`, isAllowed: false },
    { what: 'the parent folder, hidden', line: `import { b } from './../sim/x.ts'`, isAllowed: false },
    {
      what: 'another folder by way of an allowed one',
      line: `import { c } from '#snapshots/../sim/x.ts'`,
      isAllowed: false,
    },
    { what: 'a type annotation', line: `type D = import('#sim/x.ts').D`, isAllowed: false },
    { what: 'a computed name', line: 'const e = await import(name)', isAllowed: false },
    { what: 'a required module', line: `import f = require('#sim/x.ts')`, isAllowed: false },
    { what: 'a neighbour', line: `import { g } from './x.ts'`, isAllowed: true },
    { what: 'a built-in', line: `import { readFileSync } from 'node:fs'`, isAllowed: true },
    { what: 'a library', line: `import { z } from 'zod'`, isAllowed: true },
    { what: 'the version', line: `import m from '#package.json' with { type: 'json' }`, isAllowed: true },
  ],
}

/** The rules that say who may import whom and how. */
const directions =
  /no-restricted-imports|no-relative-parent-imports|no-nodejs-modules|dynamic-require|require-imports|type-imports/

const reportShape = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number() }) })),
    }),
  ),
})

let dir = ''
/** `file:line` of every import that the lint refused. */
const refused = new Set<string>()

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tapeline-imports-'))
  const config = await readFile(join(root, '.oxlintrc.json'), 'utf8')
  // Types of the planted files mean nothing: without them the run takes a second less.
  await writeFile(join(dir, '.oxlintrc.json'), config.replace('"typeAware": true', '"typeAware": false'))
  for (const [file, plants] of [...planted, ...Object.entries(detours)]) {
    await mkdir(dirname(join(dir, file)), { recursive: true })
    await writeFile(join(dir, file), plants.map(({ line }) => `${line}\n`).join(''))
  }
  for (const { code, filename, labels } of (await lint(dir)).diagnostics) {
    if (directions.test(code)) refused.add(`${filename}:${labels[0]?.span.line}`)
  }
})

afterAll(() => rm(dir, { recursive: true, force: true }))

const lint = (cwd: string): Promise<z.output<typeof reportShape>> =>
  new Promise((done, fail) => {
    const bin = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint')
    const options = { cwd, maxBuffer: 64 * 2 ** 20 }
    // Oxlint exits with 1 if it finds a fault, which this test expects.
    execFile(process.execPath, [bin, '--format', 'json', '.'], options, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) done(reportShape.parse(JSON.parse(stdout)))
      else fail(new Error(`oxlint did not answer: ${stderr}`, { cause: error }))
    })
  })

describe.each([...planted, ...Object.entries(detours)])('imports of %s', (file, plants) => {
  const found = (isRefused: boolean): string[] =>
    plants.filter((_, n) => refused.has(`${file}:${n + 1}`) === isRefused).map(({ what }) => what)
  const wanted = (isAllowed: boolean): string[] =>
    plants.filter((plant) => plant.isAllowed === isAllowed).map(({ what }) => what)

  it('rejects imports that the row does not allow', () => {
    expect(found(true)).toEqual(wanted(false))
  })

  it('allows the imports of the row', () => {
    expect(found(false)).toEqual(wanted(true))
  })
})

describe('the house', () => {
  it('has a row for every folder of code', async () => {
    const entries = await readdir(root, { withFileTypes: true })
    const found = entries.filter(
      (entry) => entry.isDirectory() && !/^(\.|node_modules$|data$|docs$|examples$)/.test(entry.name),
    )
    expect(found.map(({ name }) => name).filter((name) => !house.includes(name))).toEqual([])
    expect(new Set([...planted.keys()].map((file) => file.split('/')[0]))).toEqual(
      new Set([...house, 'config.ts', 'time.ts']),
    )
  })

  it('imports dynamically by a plain string only, which the lint can read', async () => {
    // Tests may import anything, also copies that they make.
    const files = (await Promise.all(house.filter((folder) => folder !== 'test').map(codeOf))).flat()
    expect(files.length).toBeGreaterThan(100)
    const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const))
    const computed = texts.filter(([, text]) => /\bimport\(\s*[^'"\s)]/.test(text)).map(([file]) => file)
    // It reads packages of a folder of its own, which are no part of the house.
    expect(computed).toEqual([join(root, 'scripts/chains/public_lists.ts')])
  })
})

async function codeOf(folder: string): Promise<string[]> {
  const path = join(root, folder)
  // A folder of the table may still be to come.
  const files = await readdir(path, { recursive: true }).catch(() => [])
  return files.filter((file) => /\.(ts|js)$/.test(file)).map((file) => join(path, file))
}
