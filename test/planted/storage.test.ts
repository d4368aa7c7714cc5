import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { plant, type Lines, type Planted } from './plant.ts'

/** The line that the list of storages needs: an import, and a name in the list. */
const lines: Lines = {
  'storage/storages.ts': [
    ['import type { StorageKind }', "import { objects } from './objects.ts'\nimport type { StorageKind }"],
    ['= []', '= [objects]'],
  ],
}

const facts = z.object({ coverage: z.array(z.string()), paths: z.array(z.string()) })
const side = z.object({
  ingested: facts,
  merged: z.object({ n_files_merged: z.number(), deleted: z.array(z.string()) }),
  compacted: facts,
  hashes: z.record(z.string(), z.string()),
  verified: z.object({ n_files: z.number(), faults: z.array(z.unknown()) }),
  answers: z.record(z.string(), z.string()),
  repair: z.object({ n_units: z.number(), damaged: z.array(z.unknown()), repaired: z.unknown() }),
  folders: z.array(z.string()),
})
const shape = z.object({ folder: side, objects: side, counts: z.record(z.string(), z.number()), n_objects: z.number() })

let planted: Planted
let seen: z.output<typeof shape>
beforeAll(async () => {
  planted = await plant(['storage'], lines)
  seen = shape.parse(await planted.run('run_storage.ts'))
}, 600_000)
afterAll(() => planted.remove())

test('a lake in a planted storage, a file and a line of the list, has the facts of a lake in a folder', () => {
  const { folder, objects } = seen
  expect(objects.ingested).toEqual(folder.ingested)
  expect(objects.ingested.paths.filter((path) => path.startsWith('raw/')).length).toBeGreaterThan(10)
  expect(folder.merged.n_files_merged).toBeGreaterThan(10)
  expect(folder.merged.deleted.length).toBeGreaterThan(10)
  expect(objects.merged).toEqual(folder.merged)
  expect(objects.compacted).toEqual(folder.compacted)
})

test('builds of it have the same tables, and the API gives the same answers', () => {
  const { folder, objects } = seen
  expect(Object.keys(folder.hashes).length).toBeGreaterThan(10)
  expect(objects.hashes).toEqual(folder.hashes)
  expect(Object.keys(folder.answers).length).toBeGreaterThan(50)
  expect(objects.answers).toEqual(folder.answers)
})

test('it is verified, and its catalog is rebuilt from its objects', () => {
  const { folder, objects } = seen
  for (const { verified, repair } of [folder, objects]) {
    expect(verified.n_files).toBeGreaterThan(5)
    expect([verified.faults, repair.damaged]).toEqual([[], []])
  }
  expect(objects.verified).toEqual(folder.verified)
  expect(objects.repair).toEqual(folder.repair)
})

test('the facts are in the storage only; builds and snapshots are in the home', () => {
  expect(seen.n_objects).toBe(seen.objects.compacted.paths.length)
  expect(seen.folder.folders.toSorted()).toEqual(['derived', 'lake', 'marts', 'raw'])
  expect(seen.objects.folders.toSorted()).toEqual(['copies', 'derived', 'marts'])
})
