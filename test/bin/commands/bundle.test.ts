import { execFile } from 'node:child_process'
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from 'vitest'

const repository = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** A copy of the sources as an installed package, with a bundle of its own. */
let root: string
let folder: string

const bundle = () => run('npx', ['tsx', 'scripts/bundle/bundle.ts'], { cwd: root })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapeline bundle-'))
  root = join(folder, 'node_modules/tapeline')
  await mkdir(root, { recursive: true })
  const left = new Set(['.git', 'bench', 'data', 'dist', 'docs', 'examples', 'node_modules', 'test', 'web'])
  for (const name of await readdir(repository))
    if (!left.has(name))
      await cp(join(repository, name), join(root, name), { recursive: true, preserveTimestamps: true })
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  await bundle()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const tapeline = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [join(root, 'bin/tapeline.js'), ...args], { env: {}, cwd: root })).stdout

const words = 'open-source market and wallet intelligence'

/** Replaces words of the bundle, so that its output shows that it ran. */
async function mark(text: string): Promise<void> {
  for (const name of await readdir(join(root, 'dist'))) {
    const file = join(root, 'dist', name)
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(words, text))
  }
}

/** Adds an empty line to a source. Returns what reverts it, with the time of its last change. */
async function change(path: string): Promise<() => Promise<void>> {
  const file = join(root, path)
  const [before, { atime, mtime }] = [await readFile(file), await stat(file)]
  await appendFile(file, '\n')
  return async () => {
    await writeFile(file, before)
    await utimes(file, atime, mtime)
  }
}

test('the bundle has the same commands as the sources, and reads the files beside them', async () => {
  const outputs = async () => [
    await tapeline('help'),
    await tapeline('help', 'backfill'),
    await tapeline('chains', '--json'),
    await tapeline('backfill', 'polymarket_trades', '--from', '2026-01-01', '--to', '2026-01-02', '--dry-run'),
  ]
  const bundled = await outputs()
  const revert = await change('time.ts')
  expect(await outputs()).toEqual(bundled)
  await revert()
  expect(bundled[0]).toContain(words)
})

test('the bundle runs until a source or a package changes, and again when it is as before', async () => {
  await mark('words of the bundle')
  expect(await tapeline('help')).toContain('words of the bundle')
  for (const path of ['bin/command_line/program.ts', 'accounts/keys.ts', 'package-lock.json']) {
    const revert = await change(path)
    expect(await tapeline('help'), path).toContain(words)
    await revert()
    expect(await tapeline('help'), path).toContain('words of the bundle')
  }
})

test('a source of the same size with another time counts as changed, and so does a missing one', async () => {
  await mark('words of the bundle')
  const file = join(root, 'bin/main.ts')
  const { atime, mtime } = await stat(file)
  await utimes(file, atime, new Date(mtime.getTime() + 2_000))
  expect(await tapeline('help')).toContain(words)
  await utimes(file, atime, mtime)
  await rm(join(root, 'bin/commands/probe.ts'))
  await expect(tapeline('help')).rejects.toThrow('probe.ts')
  await cp(join(repository, 'bin/commands/probe.ts'), join(root, 'bin/commands/probe.ts'), { preserveTimestamps: true })
  expect(await tapeline('help')).toContain('words of the bundle')
})

test('a bundle that fails to load is an error, unless a source has changed since', async () => {
  await writeFile(join(root, 'dist/main.mjs'), `throw new Error('broken bundle')`)
  await expect(tapeline('help')).rejects.toThrow('broken bundle')
  const revert = await change('time.ts')
  expect(await tapeline('help')).toContain(words)
  await revert()
})

test('a new bundle leaves the parts of the former one for a week, and two at once are one', async () => {
  await bundle()
  const built = await readdir(join(root, 'dist'))
  const [recent, old] = [join(root, 'dist/chunk-RECENT.mjs'), join(root, 'dist/chunk-OLD.mjs')]
  for (const file of [recent, old]) await writeFile(file, '')
  const eightDaysAgo = Date.now() / 1000 - 8 * 86_400
  await utimes(old, eightDaysAgo, eightDaysAgo)
  await Promise.all([bundle(), bundle()])
  expect((await readdir(join(root, 'dist'))).toSorted()).toEqual([...built, 'chunk-RECENT.mjs'].toSorted())
  expect(await readdir(root)).not.toContainEqual(expect.stringContaining('.part'))
  await mark('words of the bundle')
  expect(await tapeline('help')).toContain('words of the bundle')
})

test('a bundle of a source that changed while it was built is not loaded', async () => {
  const file = join(root, 'time.ts')
  const { atime, mtime } = await stat(file)
  const later = new Date(Date.now() + 3_600_000)
  await utimes(file, later, later)
  await bundle()
  await mark('words of the bundle')
  expect(await tapeline('help')).toContain(words)
  await utimes(file, atime, mtime)
})
