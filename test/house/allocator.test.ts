import { resolve } from 'node:path'

import { expect, test } from 'vitest'

import { repositoryFiles } from '#scripts/structure/files.ts'

/**
 * All instances of a process share one allocator, whose background threads return freed memory. The last opened instance
 * turns them on or off for all, so that every one must have the option.
 */
test('only storage/duckdb.ts opens DuckDB in a process of the service', async () => {
  const files = await repositoryFiles(resolve(import.meta.dirname, '..', '..'))
  const opening = [...files].filter(
    ([path, text]) =>
      path.endsWith('.ts') && !/^(bench|scripts|test)\//.test(path) && /DuckDBInstance\.(create|fromCache)/.test(text),
  )
  expect(opening.map(([path]) => path)).toEqual(['storage/duckdb.ts'])
})
