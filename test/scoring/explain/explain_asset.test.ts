import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { parseMacro } from '#builder/load.ts'
import { withConnection } from '#storage/duckdb.ts'
import { worldOf } from '#test/oracle/attention/world.ts'
import { buildIn, lakeOf } from '#test/scoring/core/attention/lake.ts'

const file = fileURLToPath(new URL('../../../scoring/explain/explain_asset.sql', import.meta.url))
const macro = parseMacro('explain_asset', await readFile(file, 'utf8'))

const partShape = z.object({
  part: z.string(),
  range: z.string(),
  place: z.string(),
  ts: z.string().nullable(),
  what: z.string(),
  credit: z.string().nullable(),
  points: z.number().nullable(),
  ref: z.string().nullable(),
  text: z.string().nullable(),
})
type Part = z.output<typeof partShape>
const momentumShape = z.object({
  range: z.string(),
  mindshare_pct: z.coerce.number(),
  mindshare_delta: z.coerce.number(),
  net: z.number(),
})

const world = worldOf(11)
let rows: Part[]
let ask: (sql: string) => Promise<Record<string, unknown>[]>
beforeAll(async () => {
  const kept = world.posts.filter(({ platform }) => platform !== 'x')
  const texts = kept.map(({ platform, post_id }) => ({ platform, post_id, ts: '2026-11-19', text: `${post_id}!` }))
  const instance = await buildIn(['marts.signals', 'core.assets'], { ...lakeOf(world), 'lake.post_text': texts })
  ask = (sql) =>
    withConnection(instance, async (connection) => (await connection.runAndReadAll(sql)).getRowObjectsJson())
  await ask(`create macro core.explain_asset(${macro.parameter}) as table ${macro.sql}`)
  rows = z.array(partShape).parse(await ask(`from core.explain_asset('bbb')`))
})

const of = (part: string, range: string): Part[] => rows.filter((row) => row.part === part && row.range === range)
const sum = (parts: readonly Part[], column: 'points' | 'credit'): number =>
  parts.reduce((total, row) => total + Number(row[column] ?? 0), 0)

test('has the documented columns, types and parts, in their order', async () => {
  const described = await ask(`describe from core.explain_asset('')`)
  expect(described.map((row) => [row['column_name'], row['column_type']])).toEqual(
    macro.columns.map((column) => [column.name, column.sql]),
  )
  const documented = [...macro.doc.matchAll(/^ {2}([a-z_]+)/gm)].map(([, part]) => part)
  expect([...new Set(rows.filter(({ range }) => range === '7d').map(({ part }) => part))]).toEqual(documented)
})

test('an unknown symbol has no rows, and one of another case is the same', async () => {
  for (const symbol of ['', '*', 'EEE', 'NONE', "BBB' or 1=1"])
    expect(await ask(`from core.explain_asset('${symbol.replaceAll("'", "''")}')`)).toEqual([])
  expect(await ask(`from core.explain_asset('BBB')`)).toEqual(rows)
})

describe('the parts', () => {
  test('of platforms, authors and clusters each add up to the served share, and others to the change and the tone', async () => {
    const served = z.array(momentumShape).parse(await ask(`from marts.signals where symbol = 'BBB' order by range`))
    expect(served.map(({ range }) => range)).toEqual(['30d', '7d'].filter((range) => of('asset', range).length > 0))
    for (const { range, mindshare_pct, mindshare_delta, net } of served) {
      expect(of('asset', range)[0]?.points).toBe(mindshare_pct)
      for (const part of ['platform', 'author', 'cluster'])
        expect(sum(of(part, range), 'points')).toBeCloseTo(mindshare_pct, 5)
      expect(sum(of('change', range), 'points')).toBeCloseTo(mindshare_delta, 5)
      expect(sum(of('tone', range), 'points')).toBeCloseTo(net, 9)
    }
    expect(served.some(({ mindshare_delta }) => mindshare_delta !== 0)).toBe(true)
  })

  test('of a platform have its credit, by clusters and by authors, to the millionth', () => {
    for (const { place, credit } of of('platform', '7d')) {
      for (const part of ['cluster', 'author']) {
        const parts = of(part, '7d').filter((row) => row.place === place)
        expect(parts.length).toBeGreaterThan(10)
        expect(sum(parts, 'credit')).toBeCloseTo(Number(credit), 6)
      }
    }
  })

  test('of a cluster are its posts: the largest weight x (1 + ln authors) is its credit', () => {
    const posts = of('post', '7d')
    for (const { place, ref, credit, what } of of('cluster', '7d')) {
      const own = posts.filter((row) => row.place === place && row.what.endsWith(`cluster ${ref ?? ''}`))
      const n_authors = new Set(own.map((row) => row.what.split(':')[0])).size
      expect(what).toBe(`posts: ${own.length}, authors: ${n_authors}`)
      const largest = Math.max(...own.map((row) => Number(row.credit)))
      expect(largest * (1 + Math.log(n_authors))).toBeCloseTo(Number(credit), 4)
    }
  })

  test('of a post have its text while it is kept', () => {
    const posts = of('post', '7d')
    expect(posts.filter(({ place }) => place === 'x').every(({ text }) => text === null)).toBe(true)
    const kept = posts.filter(({ place }) => place !== 'x')
    expect(kept.length).toBeGreaterThan(100)
    for (const { ref, text } of kept) expect(text).toBe(`${ref ?? ''}!`)
  })
})
