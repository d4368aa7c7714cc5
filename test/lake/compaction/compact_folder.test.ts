import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Join } from '#lake/compaction/choose.ts'
import { joinFiles } from '#lake/compaction/compact_folder.ts'
import { commit, readFolder } from '#lake/compaction/manifest.ts'
import { joinedPath, placeOf } from '#lake/compaction/paths.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { commitFile } from '#lake/units/commit_file.ts'
import { rowsPath } from '#lake/units/unit.ts'
import { writeParquet } from '#lake/units/write_parquet.ts'
import { newLake, quote } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'

import { beside, day, hour, hourAt, over, start, watched } from './compacted.ts'

const { quotes } = datasets
const hours = [0, 1, 2, 3, 24].map((n) => start + n * hour)
const pathOf = (at: number): string => rowsPath(quotes, hourAt(at))
const { folder } = placeOf(pathOf(start))

/** Puts rows of a unit in place, or takes them away; the lake that writes them is not the one that waits for its turn. */
async function place(lake: Lake, at: number, version: bigint | null): Promise<void> {
  if (version === null) return commitFile(lake, quotes, pathOf(at), undefined)
  const rows = [quote(String(at), at, { bid: version })]
  const { file } = await writeParquet(lake.writer, lake.scratch, quotes, { rows, source: 'venue_feed' })
  return commitFile(lake, quotes, pathOf(at), { file })
}

const row = z.object({ at: z.string(), version: z.string() })
const look = (lake: Lake): Promise<string[]> =>
  lake.read(async ({ query }) => {
    const sql = `select split_part(market_id, ':', 2) as at, (bid * 1000000)::bigint::varchar as version
      from lake.quotes order by all`
    return (await query(sql, row)).map(({ at, version }) => `${at} ${version}`)
  })

/** What is there to be joined in a range when its turn comes. */
async function join(lake: Lake, range: string): Promise<void> {
  const { joined } = await readFolder(lake.storage, folder)
  const entries = joined.filter((entry) => 'range' in entry && entry.range.startsWith(range))
  const wanted: Join = { range, units: [], joined: entries }
  await joinFiles(lake, { dataset: quotes, folder, join: wanted })
}

/** Two in ten runs meet; with the seed of the short form some always do. */
const size = sized({ numRuns: 15, seed: 2 }, { numRuns: 50 })

const writer = fc.record({
  at: fc.constantFrom(...hours),
  version: fc.constantFrom(2n, null),
  after: fc.nat(14),
})

/** Something that others wait for. */
function signal(): { given: Promise<void>; give: () => void } {
  let give = (): void => undefined
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give }
}

test('stores and compactors that meet in one folder, in any order of their steps, lose nothing and double nothing', async () => {
  const base = await newLake()
  let n_conflicts = 0
  const run = async (
    s: fc.Scheduler,
    writers: readonly { at: number; version: bigint | null; after: number }[],
    [begun, joining]: readonly [readonly string[], readonly string[]],
  ): Promise<void> => {
    const plain = await beside(base)
    for (const at of hours.slice(1)) await place(plain, at, 1n)
    for (const range of begun) await join(plain, range)
    const turn = (): Promise<void> => s.schedule(Promise.resolve(), 'turn')
    const lake = over(plain, watched(plain.storage, { before: turn, after: turn }))
    const late = new Map(writers.map((each) => [each.at, each]))
    const looks: string[][] = []
    await s.waitFor(
      Promise.all([
        ...joining.map((range) => join(lake, range)),
        look(lake).then((seen) => looks.push(seen)),
        ...[...late.values()].map(async ({ at, version, after }) => {
          for (let left = after; left > 0; left--) await turn()
          await place(lake, at, version)
        }),
      ]),
    )
    const old = (at: number): string[] => (at === start ? [] : [`${at} 1`])
    const end = (at: number): string[] => {
      const of = late.get(at)
      return of === undefined ? old(at) : of.version === null ? [] : [`${at} ${of.version}`]
    }
    for (const seen of looks) {
      for (const at of hours)
        expect([old(at), end(at)]).toContainEqual(seen.filter((each) => each.startsWith(`${at} `)))
    }
    expect(await look(plain)).toEqual(hours.flatMap(end).sort())
    if ((await readFolder(plain.storage, folder)).joined.length === 0) n_conflicts += 1
    await join(plain, '2026-11')
    for (const days of [1, 3]) await vacuum(plain, { now: start + days * day, keep_ms: 86_400_000 })
    expect(await look(plain)).toEqual(hours.flatMap(end).sort())
  }
  const writers = fc.array(writer, { minLength: 1, maxLength: 3 })
  const [dayOf, month] = ['2026-11-19', '2026-11']
  const ranges = fc.constantFrom<[string[], string[]][]>([[], [dayOf]], [[dayOf], [month]], [[], [dayOf, month]])
  await fc.assert(fc.asyncProperty(fc.scheduler(), writers, ranges, run), {
    ...size,
    endOnFailure: true,
  })
  expect(n_conflicts).toBeGreaterThan(0)
})

test('a unit that is stored just before its range is announced is joined with it', async () => {
  const lake = await newLake()
  for (const at of hours.slice(1, 3)) await place(lake, at, 1n)
  let isFirst = true
  const storage = watched(lake.storage, {
    before: async (verb) => {
      if (verb === 'putIfMatch' && isFirst) await place(lake, start, 2n)
      isFirst &&= verb !== 'putIfMatch'
    },
  })
  await join(over(lake, storage), '2026-11-19')
  expect((await readFolder(lake.storage, folder)).joined).toHaveLength(1)
  expect(await look(lake)).toEqual([`${start} 2`, ...hours.slice(1, 3).map((at) => `${at} 1`)])
})

test('a joining that is committed just before it would have been withdrawn gets the rows that it has missed', async () => {
  const lake = await newLake()
  for (const at of hours.slice(0, 3)) await place(lake, at, 1n)
  const [isRead, isFound, isJoined] = [signal(), signal(), signal()]
  const joiner = over(
    lake,
    watched(lake.storage, {
      before: async (verb) => {
        if (verb !== 'put') return
        isRead.give()
        await isFound.given
      },
    }),
  )
  const storer = over(
    lake,
    watched(lake.storage, {
      before: async (verb) => {
        if (verb !== 'putIfMatch') return
        isFound.give()
        await isJoined.given
      },
    }),
  )
  const joining = join(joiner, '2026-11-19').then(isJoined.give)
  await isRead.given
  await place(storer, start, 2n)
  await joining
  expect((await readFolder(lake.storage, folder)).joined).toHaveLength(1)
  expect(await look(lake)).toEqual([`${start} 2`, ...hours.slice(1, 3).map((at) => `${at} 1`)])
})

test('of two who make the next manifest one fails, and what it names is never seen', async () => {
  const { storage } = await newLake()
  const state = await readFolder(storage, folder)
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) => commit(storage, state, { joined: [], joining: [`2026-${10 + n}`] })),
  )
  expect(made.filter(Boolean)).toHaveLength(1)
  const next = await readFolder(storage, folder)
  expect(next).toMatchObject({ version: 1, joining: [`2026-${10 + made.indexOf(true)}`] })
  expect(await storage.list('lake')).toEqual([joinedPath(folder, 'manifest-00000001.json')])
  expect(await commit(storage, state, { joined: [], joining: [] })).toBe(false)
})
