import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { currentFiles, isSidecar } from '#lake/files.ts'

const none = new Map<string, string[]>()
const folder = 'lake/fills/v1/polymarket_feed/polymarket'

type Range = { path: string; first: number; last: number }

/** The rule by its words: a file counts unless its range lies inside the range of another one. */
const notInsideAnother = (ranges: readonly Range[]): string[] =>
  ranges
    .filter(({ path, first, last }) => !ranges.some((r) => r.path !== path && r.first <= first && last <= r.last))
    .map(({ path }) => path)
    .toSorted()

const stamp = (ms: number): string => new Date(ms).toISOString()
const hour_ms = 3_600_000

/** Files of a stream: hours, and the days, months and years that they were joined into. */
const streamFile = fc
  .tuple(
    fc.integer({ min: Date.UTC(2024, 11, 30), max: Date.UTC(2025, 2, 2) }),
    fc.constantFrom('minute', 'hour', 'day', 'month', 'year'),
  )
  .map(([ms, step]): Range => {
    const at = new Date(ms)
    const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
    const file = (name: string, first: number, end: number): Range => ({
      path: `${folder}/${name}.parquet`,
      first,
      last: end - 1,
    })
    const hour = Date.UTC(year, month, day, at.getUTCHours())
    const minute = Math.floor(ms / 60_000) * 60_000
    switch (step) {
      case 'minute':
        return file(stamp(minute).slice(0, 16).replace(':', ''), minute, minute + 60_000)
      case 'hour':
        return file(stamp(hour).slice(0, 13), hour, hour + hour_ms)
      case 'day':
        return file(stamp(hour).slice(0, 10), Date.UTC(year, month, day), Date.UTC(year, month, day + 1))
      case 'month':
        return file(stamp(hour).slice(0, 7), Date.UTC(year, month), Date.UTC(year, month + 1))
      default:
        return file(String(year), Date.UTC(year, 0), Date.UTC(year + 1, 0))
    }
  })

const blockFile = fc
  .tuple(fc.nat(60), fc.nat(30), fc.constantFrom('polygon', 'base'))
  .map(([first, length, chain]): Range & { chain: string } => {
    const name = [first, first + length].map((block) => String(block).padStart(12, '0')).join('-')
    return { path: `lake/swaps/v1/logs/${chain}/${name}.parquet`, first, last: first + length, chain }
  })

const unique = <T extends { path: string }>(files: fc.Arbitrary<T>) =>
  fc.uniqueArray(files, { selector: ({ path }) => path, maxLength: 40 })

describe('files on a grid', () => {
  test('of a stream count unless a longer one holds their time', () => {
    fc.assert(
      fc.property(unique(streamFile), (files) => {
        expect(currentFiles(files.map(({ path }) => path).toSorted(), none)).toEqual(notInsideAnother(files))
      }),
    )
  })

  test('of blocks count unless a longer one of the same chain holds their range', () => {
    fc.assert(
      fc.property(unique(blockFile), (files) => {
        const expected = ['polygon', 'base'].flatMap((name) => notInsideAnother(files.filter((f) => f.chain === name)))
        expect(currentFiles(files.map(({ path }) => path).toSorted(), none)).toEqual(expected.toSorted())
      }),
    )
  })

  test('that overlap without holding each other all count', () => {
    const paths = ['000000000000-000000000010', '000000000005-000000000020'].map((name) => `${folder}/${name}.parquet`)
    expect(currentFiles(paths, none)).toEqual(paths)
  })

  test('that come late into a range that was joined do not count twice', () => {
    const day = `${folder}/2026-11-20.parquet`
    const late = `${folder}/2026-11-20T13.parquet`
    const next = `${folder}/2026-11-21T00.parquet`
    expect(currentFiles([day, late, next], none)).toEqual([day, next])
  })
})

describe('files of keyed units', () => {
  const life = 'lake/fills/v1/polymarket_trades/polymarket/3f'
  const [a, b, late] = ['0xa', '0xb', '0xc'].map((key) => `${life}/${key}.parquet`) as [string, string, string]
  const merged = `${life}/merged-77.parquet`
  const sidecar = `${life}/merged-77.json`

  test('that were joined stand back behind the joined file, and a late one beside it counts', () => {
    expect(currentFiles([a, b, late, sidecar, merged], new Map([[sidecar, [a, b]]]))).toEqual([late, merged])
  })

  test('count as long as the joined file is not there, or its sidecar does not name them', () => {
    expect(currentFiles([a, b, sidecar], new Map([[sidecar, [a, b]]]))).toEqual([a, b])
    expect(currentFiles([a, b, sidecar, merged], new Map([[sidecar, [a]]]))).toEqual([b, merged])
  })

  test('may be joined again with what they were joined into', () => {
    const again = `${life}/merged-99.parquet`
    const sidecars = new Map([
      [sidecar, [a, b]],
      [`${life}/merged-99.json`, [merged, late]],
    ])
    const paths = [a, b, late, sidecar, merged, `${life}/merged-99.json`, again]
    expect(currentFiles(paths, sidecars)).toEqual([again])
    // The sweep has taken what was superseded.
    expect(currentFiles([sidecar, `${life}/merged-99.json`, again], sidecars)).toEqual([again])
  })
})

test('the result depends on the set of files alone, and is its own result', () => {
  fc.assert(
    fc.property(unique(streamFile), fc.infiniteStream(fc.nat()), (files, order) => {
      const paths = files.map(({ path }) => path)
      const current = currentFiles(paths.toSorted(), none)
      const keyed = new Map(paths.map((path) => [path, order.next().value as number]))
      const shuffled = paths.toSorted((x, y) => (keyed.get(x) ?? 0) - (keyed.get(y) ?? 0))
      expect(currentFiles(shuffled, none)).toEqual(current)
      expect(currentFiles(current, none)).toEqual(current)
    }),
  )
})

test('only what lies beside a joined file is a sidecar', () => {
  expect(isSidecar('lake/fills/v1/s/p/3f/merged-77.json')).toBe(true)
  expect(isSidecar('lake/lake.json')).toBe(false)
  expect(isSidecar('lake/fills/v1/s/p/3f/merged-77.parquet')).toBe(false)
})
