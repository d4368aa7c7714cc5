import { expect, test } from 'vitest'
import { z } from 'zod'

import type { CompactedSource } from '#lake/compaction/compact.ts'
import type { Lake } from '#lake/lake.ts'
import { storedCoverage } from '#lake/units/stored_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

import { compact, files, seen, store } from './compacted.ts'

const source: CompactedSource = { name: 'chain_quotes', kind: 'blocks', settle_s: 0, datasets: ['quotes'] }
const unitAt = (from: number): Unit => ({
  source: source.name,
  kind: 'blocks',
  part: 'chain',
  key: '',
  from,
  to: from + 100,
  params: [],
})
const storeRange = async (lake: Lake, from: number, n: number): Promise<void> => {
  for (let i = 0; i < n; i++) await store(lake, unitAt(from + i * 100), { checkedAt: noon })
}
const spanShape = z.object({
  from_at: z.date().nullable(),
  to_at: z.date().nullable(),
  from_block: z.bigint().nullable(),
  to_block: z.bigint().nullable(),
})

test('coverage of a range of blocks says from which block to which, before and after it is compacted', async () => {
  const lake = await newLake()
  await storeRange(lake, 19_990_000, 3)
  const spans = () =>
    lake.read(({ query }) => query('select from_at, to_at, from_block, to_block from lake.coverage', spanShape))
  const first = { from_at: null, to_at: null, from_block: 19_990_000n, to_block: 19_990_100n }
  const before = await spans()
  expect(before).toContainEqual(first)
  await store(lake, unitAt(20_000_000), { state: 'head' })
  await compact(lake, { sources: [source] })
  expect(await spans()).toEqual(expect.arrayContaining(before))
  expect(await storedCoverage(lake, unitAt(19_990_000))).toMatchObject([{ from: 19_990_000, to: 19_990_100 }])
})

test('closed units are joined where a later one is known; the last range waits', async () => {
  const lake = await newLake()
  await storeRange(lake, 19_990_000, 4)
  await storeRange(lake, 20_010_000, 3)
  const before = await seen(lake)
  await compact(lake, { sources: [source] })
  const open = [0, 1, 2].map((n) => `000020010${n}00-000020010${n}99.parquet`)
  expect((await files(lake)).map((file) => file.split('/').at(-1))).toEqual([...open, '00001.parquet'])
  expect(await seen(lake)).toEqual(before)
})

test('a unit that is not closed holds its range back, and is rewritten after it was joined', async () => {
  const lake = await newLake()
  await storeRange(lake, 19_990_000, 2)
  await store(lake, unitAt(19_980_000), { state: 'head' })
  await store(lake, unitAt(20_010_000), { state: 'head' })
  await compact(lake, { sources: [source] })
  // The ten thousand blocks beside it are joined, the ten million around it are not.
  expect((await files(lake)).some((file) => file.endsWith('00001999.parquet'))).toBe(true)
  await store(lake, unitAt(19_990_100), { version: 2n })
  expect((await seen(lake)).rows['chain_quotes/chain/000019990100-000019990199']).toBe('2 x 2')
})
