import fc from 'fast-check'
import { expect, test } from 'vitest'

import { mergesOf, targetBytes, type Candidate } from '#lake/compaction/choose.ts'

const file = (n: number, bytes: number, more: Partial<Candidate> = {}): Candidate => ({
  data_file_id: n,
  path: `${n}.parquet`,
  first_unit: `unit${String(n).padStart(6, '0')}`,
  n_rows: 1_000,
  bytes,
  n_deleted: 0,
  ...more,
})
const idsOf = (merges: readonly Candidate[][]): number[][] =>
  merges.map((files) => files.map(({ data_file_id }) => data_file_id))

test('fewer than eight files are left alone, and so are large ones', () => {
  expect(mergesOf([1, 2, 3, 4, 5, 6, 7].map((n) => file(n, 2_000)))).toEqual([])
  expect(mergesOf(Array.from({ length: 20 }, (_, n) => file(n, targetBytes)))).toEqual([])
})

test('eight small files are merged in the order of their units, beside a larger one that waits', () => {
  const small = [8, 3, 5, 1, 7, 2, 6, 4].map((n) => file(n, 2_000))
  expect(idsOf(mergesOf([...small, file(9, 1_000_000)]))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8]])
})

test('a file with many deleted rows is rewritten, whatever its size', () => {
  const large = file(1, 2 * targetBytes, { n_deleted: 300 })
  expect(idsOf(mergesOf([large, file(2, 2 * targetBytes, { n_deleted: 200 })]))).toEqual([[1]])
})

test('a million files of accounts become files of the target size, and one smaller', () => {
  let files = Array.from({ length: 1_000_000 }, (_, n) => file(n, 20_000))
  let n_written = 0
  for (let merges = mergesOf(files); merges.length > 0; merges = mergesOf(files)) {
    const merged = merges.map((of, n) =>
      file(
        of[0]?.data_file_id ?? n,
        of.reduce((sum, { bytes }) => sum + bytes, 0),
      ),
    )
    n_written += merges.flat().length
    const gone = new Set(merges.flat())
    files = [...files.filter((one) => !gone.has(one)), ...merged]
  }
  const bytes = files.reduce((sum, one) => sum + one.bytes, 0)
  expect(bytes).toBe(1_000_000 * 20_000)
  expect(files.length).toBeLessThanOrEqual(Math.ceil(bytes / targetBytes) + 1)
  expect(n_written).toBeLessThan(2_000_000)
})

test('files that arrive one by one stay few, and each byte is written a logarithmic number of times', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 500, max: 50_000 }), { minLength: 200, maxLength: 600 }), (sizes) => {
      let files: Candidate[] = []
      let written = 0
      for (const [n, bytes] of sizes.entries()) {
        files.push(file(n, bytes))
        for (const merge of mergesOf(files)) {
          const merged = merge.reduce((sum, one) => sum + one.bytes, 0)
          written += merged
          files = [...files.filter((one) => !merge.includes(one)), file(merge[0]?.data_file_id ?? 0, merged)]
        }
      }
      const total = sizes.reduce((sum, bytes) => sum + bytes, 0)
      expect(files.reduce((sum, one) => sum + one.bytes, 0)).toBe(total)
      expect(files.length).toBeLessThan(8 + 3 * Math.log2(sizes.length))
      expect(written / total).toBeLessThan(2 + Math.log2(sizes.length))
    }),
    { numRuns: 20 },
  )
})
