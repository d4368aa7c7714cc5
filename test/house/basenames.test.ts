import { basename, resolve } from 'node:path'

import { expect, it } from 'vitest'

import { repositoryFiles } from '#scripts/structure/files.ts'

const product = /^(?!bench\/|docs\/|examples\/|scripts\/|test\/)[^/.]+\/.*\.tsx?$/
/** The file of a folder that lists what the folder has. */
const LIST = 'index.ts'

/** Whether two paths differ in one folder: `kalshi/wire/paging.ts` and `polymarket/wire/paging.ts`. */
function areSiblings(path: string, other: string): boolean {
  const [parts, others] = [path.split('/'), other.split('/')]
  return parts.length === others.length && parts.filter((part, place) => part !== others[place]).length === 1
}

/** The paths of a room that share a basename without being of sibling folders, in pairs. */
const mistakable = (paths: readonly string[]): string[] =>
  paths.flatMap((path, place) =>
    paths
      .slice(place + 1)
      .filter((other) => basename(other) === basename(path) && other.split('/')[0] === path.split('/')[0])
      .filter((other) => basename(path) !== LIST && !areSiblings(path, other))
      .map((other) => `${path} ${other}`),
  )

it('gives two files of a room the same basename only for the same thing in sibling folders', async () => {
  const files = await repositoryFiles(resolve(import.meta.dirname, '..', '..'))
  const paths = [...files.keys()].filter((path) => product.test(path))
  expect(paths.length).toBeGreaterThan(700)
  expect(mistakable(paths)).toEqual([])
})

it.each([
  ['a room', ['api/http/router.ts', 'api/portal/v2/router.ts'], ['api/http/router.ts api/portal/v2/router.ts']],
  ['sibling folders', ['sources/a/wire/rows.ts', 'sources/b/wire/rows.ts'], []],
  ['two rooms', ['api/x/y/rows.ts', 'bin/rows.ts'], []],
  ['two folders apart', ['sim/a/b/node.ts', 'sim/c/d/node.ts'], ['sim/a/b/node.ts sim/c/d/node.ts']],
  ['lists', ['sources/index.ts', 'sources/a/b/index.ts'], []],
])('tells apart: %s', (_, paths, expected) => expect(mistakable(paths)).toEqual(expected))
