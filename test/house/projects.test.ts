import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { daily, placeOf, proofs } from '#test/run/projects.ts'

const root = resolve(import.meta.dirname, '..', '..')
const files = (await readdir(join(root, 'test'), { recursive: true }))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('test', file))
  .toSorted()
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const)),
)
const tests = files.filter((file) => file.endsWith('.test.ts'))

/** The files of `test/` that a test file runs: itself, and all that it imports, directly or not. */
function closureOf(file: string, found = new Set<string>()): Set<string> {
  found.add(file)
  for (const [, from = ''] of (texts.get(file) ?? '').matchAll(/ from '((?:\.|#test)\/[^']+)'/g)) {
    const path = from.startsWith('.') ? join(dirname(file), from) : from.slice(1)
    if (!found.has(path)) closureOf(path, found)
  }
  return found
}

/** Code that needs its own process, or affects the next file of the same process (`test_setup.ts` reverts the rest). */
const reaching = [
  /from 'node:(child_process|cluster|worker_threads)'/,
  /\bprocess\.(chdir|setuid|umask|on|once|addListener)\(/,
  /\bprocess\.env(\.\w+|\[[^\]]+\]) = /,
  /\bvi\.(mock|doMock)\(/,
  /from '@temporalio\/worker'/,
]

describe('the projects of the tests', () => {
  it('list only existing files as proofs', () => {
    const found = new Set(tests.map((file) => placeOf(file)))
    expect(proofs.filter((_, place) => !found.has(place))).toEqual([])
  })

  it('run existing proofs every day', () => {
    const isThere = (path: string): boolean =>
      tests.some((file) => file === path || (path.endsWith('/') && file.startsWith(path)))
    expect(daily.filter((path) => !isThere(path))).toEqual([])
    expect(tests.filter((file) => daily.includes(file) && placeOf(file) === -1)).toEqual([])
  })

  it('have no unit test that spawns a process or changes the one that it shares', () => {
    const units = tests.filter((file) => placeOf(file) === -1 && file !== 'test/house/projects.test.ts')
    expect(units.length).toBeGreaterThan(100)
    const wrong = units.filter((file) =>
      [...closureOf(file)].some((own) => reaching.some((pattern) => pattern.test(texts.get(own) ?? ''))),
    )
    expect(wrong, 'test/run/projects.ts lists the proofs').toEqual([])
  })
})
