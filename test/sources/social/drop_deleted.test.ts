import { expect, test } from 'vitest'
import { z } from 'zod'

import { createActivities } from '#activities/index.ts'
import type { PlannedSource, Rows } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { repairLake } from '#lake/repair/repair.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { rawPath, type Unit } from '#lake/units/unit.ts'
import { rowsOfPosts, type MentionsOf } from '#sources/social/post_rows.ts'
import { literal, withConnection } from '#storage/duckdb.ts'
import { tinySource, tinyTools } from '#test/ingest/tiny.ts'
import { mergeAll } from '#test/lake/compaction/merge_all.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { removeCatalog } from '#test/lake/repair/fixture.ts'
import type { Micros } from '#time.ts'

const minute: Micros = 60_000_000
const day = 1_440 * minute
const source: PlannedSource = tinySource({
  name: 'board_posts',
  unit: 'observation',
  datasets: ['posts', 'post_text', 'mentions', 'tombstones'],
})
const unitAt = (n: number): Unit => ({
  source: source.name,
  kind: 'observation',
  part: 'news',
  key: '',
  from: noon + n * minute,
  to: noon + n * minute,
  params: [],
})

/** A text that no other post has. */
const textOf = (name: string): string => `the words of ${name}`

/** Each text mentions one asset. */
const mentionsOf: MentionsOf = ({ platform, post_id, ts }) => [
  {
    platform,
    post_id,
    ts,
    asset_id: 'bitcoin',
    tier: 2,
    confidence: 980_000n,
    n_assets: 1,
    bull_rate: 700_000n,
    bear_rate: 100_000n,
    model: 'planted',
  },
]

const rowsOf = (names: readonly string[], n: number, tombstones: Rows['tombstones'] = []): Rows => {
  const read = names.map((name) => ({
    platform: 'news' as const,
    post_id: name,
    ts: noon + n * minute,
    author: `author of ${name}`,
    kind: 'post' as const,
    text: textOf(name),
  }))
  return { ...rowsOfPosts(read, mentionsOf, noon + n * minute), tombstones }
}

async function store(lake: Lake, n: number, rows: Rows): Promise<void> {
  await lake.storage.put(rawPath(unitAt(n)), Buffer.from(JSON.stringify(rows.post_text)))
  await storeUnit(lake, unitAt(n), {
    rows,
    rejected: [{ dataset: 'posts', reason: 'broken', body: `a rejected row of ${n}` }],
    n_read: { posts: 100 },
    precedence: 1,
    state: 'quarantined',
    to: unitAt(n).to,
    proof: 'the whole board',
    asked: [],
    checkedAt: noon,
  })
}

/** Maintains a lake as the service does, at an instant of the world, and deletes replaced files at once. */
async function maintain(lake: Lake, at: Micros): Promise<void> {
  const now = () => Date.now() * 1000 + 3_600_000_000
  await createActivities({ ...tinyTools(lake, source, at), now, clock: () => at }).maintain()
}

const column = z.object({ value: z.string() })
const valuesOf = (lake: Lake, sql: string): Promise<string[]> =>
  lake.read(async ({ query }) => (await query(sql, column)).map(({ value }) => value))

/** Every text in every file of the home: those of data files, whether they count or not, and raw responses. */
async function textsOnDisk(lake: Lake): Promise<string[]> {
  const files = await lake.storage.list('lake/post_text')
  const located = files.map((path) => literal(lake.local.locate(path))).join()
  const rows = await withConnection(lake.writer, (connection) =>
    connection.runAndReadAll(`select text from read_parquet([${located}], union_by_name = true) order by text`),
  )
  const raw = await lake.storage.list('raw')
  const bodies = await Promise.all(raw.map(async (path) => String(await lake.local.get(path))))
  return [
    ...z
      .array(z.object({ text: z.string() }))
      .parse(rows.getRowObjectsJS())
      .map(({ text }) => text),
    ...bodies,
  ]
}

const mentionsSql = `select concat_ws(' ', post_id, asset_id, bull_rate, bear_rate) as value from lake.mentions order by 1`
const mentionOf = (name: string): string => `${name} bitcoin 0.700000 0.100000`

const holds = (texts: readonly string[], name: string): boolean => texts.some((text) => text.includes(textOf(name)))

async function filled(): ReturnType<typeof newLake> {
  const lake = await newLake()
  await store(lake, 0, rowsOf(['ann', 'bob'], 0))
  await store(lake, 1, rowsOf(['cleo'], 1))
  await store(lake, 2, rowsOf(['dan'], 2))
  return lake
}

test.each([false, true])('a deleted text is in no file after maintenance (merged before: %s)', async (isMerged) => {
  const lake = await filled()
  const tombstones = [
    { platform: 'news' as const, kind: 'post', target: 'ann', ts: noon + 3 * minute },
    { platform: 'news' as const, kind: 'author', target: 'author of cleo', ts: noon + 3 * minute },
    { platform: 'other', kind: 'post', target: 'dan', ts: noon + 3 * minute },
  ]
  await store(lake, 3, rowsOf([], 3, tombstones))
  if (isMerged) await mergeAll(lake)
  expect(holds(await textsOnDisk(lake), 'ann')).toBe(true)
  await maintain(lake, noon + 2 * 60 * minute)
  const texts = await textsOnDisk(lake)
  expect(['ann', 'bob', 'cleo', 'dan'].filter((name) => holds(texts, name))).toEqual(['bob', 'dan'])
  expect(await valuesOf(lake, 'select text as value from lake.post_text order by 1')).toEqual(
    ['bob', 'dan'].map(textOf),
  )
  expect(await valuesOf(lake, mentionsSql)).toEqual(['ann', 'bob', 'cleo', 'dan'].map(mentionOf))
  // The facts of the posts stay, and so does what is known of their units.
  expect(await valuesOf(lake, 'select post_id as value from lake.posts order by 1')).toEqual([
    'ann',
    'bob',
    'cleo',
    'dan',
  ])
  expect(await valuesOf(lake, 'select body as value from lake.quarantine order by 1')).toHaveLength(4)
  expect(await valuesOf(lake, `select distinct concat(state, ': ', proof) as value from lake.coverage`)).toEqual([
    'quarantined: the whole board',
  ])
  const n_read = `select distinct n_read::varchar as value from lake.coverage where dataset = 'posts'`
  expect(await valuesOf(lake, n_read)).toEqual(['100'])
})

test('a text that was written while its list was being read is in no file', async () => {
  const lake = await newLake()
  const read = rowsOf(['eve'], 0)
  const late = <T extends { ts: Micros }>(rows: readonly T[] = []): T[] =>
    rows.map((row) => ({ ...row, ts: row.ts + minute / 2 }))
  await store(lake, 0, { ...read, posts: late(read.posts), post_text: late(read.post_text) })
  await store(
    lake,
    1,
    rowsOf(['bob'], 1, [{ platform: 'news' as const, kind: 'post', target: 'eve', ts: noon + minute }]),
  )
  await maintain(lake, noon + 2 * 60 * minute)
  const texts = await textsOnDisk(lake)
  expect(['bob', 'eve'].filter((name) => holds(texts, name))).toEqual(['bob'])
})

test('a text after the deletion of its author stays', async () => {
  const lake = await filled()
  const tombstone = { platform: 'news' as const, kind: 'author', target: 'author of dan', ts: noon + minute }
  await store(lake, 3, rowsOf([], 3, [tombstone]))
  await maintain(lake, noon + 2 * 60 * minute)
  expect(holds(await textsOnDisk(lake), 'dan')).toBe(true)
})

test('texts older than 30 days are in no file, with raw responses and rejected rows, and posts stay', async () => {
  const lake = await filled()
  await mergeAll(lake)
  await maintain(lake, noon + 30 * day + minute)
  const texts = await textsOnDisk(lake)
  expect(['ann', 'bob', 'cleo', 'dan'].filter((name) => holds(texts, name))).toEqual(['dan'])
  expect(await valuesOf(lake, 'select body as value from lake.quarantine')).toEqual(['a rejected row of 2'])
  expect(await valuesOf(lake, 'select post_id as value from lake.posts order by 1')).toHaveLength(4)
  expect(await valuesOf(lake, mentionsSql)).toEqual(['ann', 'bob', 'cleo', 'dan'].map(mentionOf))
})

test('a repair after texts were dropped keeps the posts, and knows the texts as expired', async () => {
  const lake = await filled()
  await mergeAll(lake)
  await maintain(lake, noon + 30 * day + minute)
  const before = await valuesOf(lake, 'select post_id as value from lake.posts order by 1')
  await lake.close()
  await removeCatalog(lake.home)
  await repairLake({ home: lake.home, limits: { threads: 1, memory: '256MB' }, database: undefined })
  const repaired = await newLake({ home: lake.home })
  expect(await valuesOf(repaired, 'select post_id as value from lake.posts order by 1')).toEqual(before)
  const states = await valuesOf(
    repaired,
    `select concat(unit[-1:], ' ', state) as value from lake.coverage where dataset = 'post_text' order by 1`,
  )
  expect(states).toEqual(['5 expired', '6 expired', '7 quarantined'])
})
