import { resolve } from 'node:path'

import { expect, test } from 'vitest'

import { repositoryFiles } from '#scripts/structure/files.ts'

/**
 * DuckDB ends a stream that fails after its first chunk like a complete one. `streamOf` and `runFold` count the rows,
 * and a segment has a last line. No other file of the service may stream.
 */
test('no file streams from DuckDB without a count of the rows', async () => {
  const files = await repositoryFiles(resolve(import.meta.dirname, '..', '..'))
  const streaming = [...files].filter(
    ([path, text]) => path.endsWith('.ts') && !/^(bench|test)\//.test(path) && /\.stream\(/.test(text),
  )
  expect(streaming.map(([path]) => path)).toEqual(['builder/run_fold.ts', 'lake/raw/segment.ts', 'storage/stream.ts'])
})
