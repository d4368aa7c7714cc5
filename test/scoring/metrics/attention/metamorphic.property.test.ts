import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  hashOf,
  randomOf,
  universe,
  worldOf,
  type AttentionWorld,
  type WorldPost,
} from '#test/oracle/attention/world.ts'
import { sized } from '#test/run/sized.ts'
import { build, lakeOf } from '#test/scoring/core/attention/lake.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

const seeds = fc.integer({ min: 0, max: 1_000_000 })
const runs = { numRuns: sized(1, 2, 3), endOnFailure: true }
const tables = ['core.clusters', 'core.attention_hours', 'core.platform_hours', 'metrics.attention'] as const

type Row = Record<string, unknown>
const wholeOf = (rows: readonly Row[]): Row[] =>
  rows.filter(({ range, platform }) => range === '7d' && platform === '*')

describe('the tables of attention', () => {
  test('are identical if every row of the lake is there twice, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const lake = lakeOf(worldOf(seed, 150))
        const random = randomOf(seed)
        const shuffled = Object.fromEntries(
          Object.entries(lake).map(([table, rows]) => {
            const twice = table === 'lake.coverage' ? [...rows] : [...rows, ...rows]
            const keyed = twice.map((row) => ({ row, place: random() })).toSorted((a, b) => a.place - b.place)
            return [table, keyed.map(({ row }) => row)]
          }),
        ) satisfies Rows
        expect(await build(tables, shuffled)).toEqual(await build(tables, lake))
      }),
      runs,
    )
  })

  test('show the same shares if all posts of one platform weigh half or twice as much', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.constantFrom(0.5, 2), async (seed, factor) => {
        const world = worldOf(seed)
        const scaledBy = (x: number): AttentionWorld['quality'] =>
          Object.fromEntries(
            Object.entries(world.quality).map(([key, value]) => {
              const quality = Math.min(0.4, Math.max(0.1, value))
              return [key, key.startsWith('x ') ? quality * x : quality]
            }),
          )
        const [before, after] = [
          await build(['metrics.attention'], lakeOf({ ...world, quality: scaledBy(1) })),
          await build(['metrics.attention'], lakeOf({ ...world, quality: scaledBy(factor) })),
        ].map((built) => wholeOf(built['metrics.attention']))
        expect(before?.length).toBe(universe.length + 1)
        for (const [n, row] of (before ?? []).entries()) {
          expect(after?.[n]?.['mindshare_pct']).toBeCloseTo(Number(row['mindshare_pct']), 3)
          expect(after?.[n]?.['se']).toBeCloseTo(Number(row['se']), 3)
        }
      }),
      runs,
    )
  })

  test('have other coverage and no other sign of a change after a source died', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const world = worldOf(seed, 2_000)
        // Attention moved by the same factors on all platforms, so that every platform alone has the sign.
        const moved = new Map([
          ['AAA', 0.2],
          ['BBB', 1],
        ])
        const random = randomOf(seed)
        const posts = world.posts.filter(({ assets, hour }) =>
          assets.every((asset) => {
            const kept = moved.get(asset) ?? 0.5
            return random() < (hour > -7 * 24 ? kept : 1.2 - kept)
          }),
        )
        const dead: AttentionWorld = {
          ...world,
          covered: { ...world.covered, x: [-70 * 24, -4 * 24] },
          posts: posts.filter(({ platform, hour }) => platform !== 'x' || hour < -4 * 24),
        }
        const [whole, partial] = [
          await build(['metrics.attention', 'metrics.platform_periods'], lakeOf({ ...world, posts })),
          await build(['metrics.attention', 'metrics.platform_periods'], lakeOf(dead)),
        ]
        const current = (built: typeof whole): unknown[] =>
          built['metrics.platform_periods']
            .filter(({ range, period, is_healthy }) => range === '7d' && period === 'current' && is_healthy === true)
            .map(({ platform }) => platform)
        expect(current(whole)).toEqual(['bluesky', 'reddit', 'x'])
        expect(current(partial)).toEqual(['bluesky', 'reddit'])
        const deltas = (built: typeof whole): Map<unknown, number> =>
          new Map(wholeOf(built['metrics.attention']).map((row) => [row['symbol'], Number(row['delta_points'])]))
        for (const symbol of moved.keys()) {
          const [a = 0, b = 0] = [deltas(whole).get(symbol), deltas(partial).get(symbol)]
          expect(Math.abs(a)).toBeGreaterThan(1)
          expect(Math.sign(b)).toBe(Math.sign(a))
        }
      }),
      runs,
    )
  })
})

const post = (n: number, more: Partial<WorldPost>): WorldPost => ({
  platform: 'x',
  post_id: `q${n}`,
  hour: -20 + n / 1000,
  author: `someone${n}`,
  simhash: 0xfeed_beef_1234n,
  assets: ['AAA'],
  confidence: 1,
  tone: [0, 0],
  engaged: [],
  ...more,
})

const creditOf = async (posts: readonly WorldPost[], quality: Record<string, number> = {}): Promise<number> => {
  const { 'core.attention_hours': rows } = await build(
    ['core.attention_hours'],
    lakeOf({ posts: [...posts], covered: {}, quality }),
  )
  return rows.reduce((sum, { symbol, credit }) => sum + (symbol === 'AAA' ? Number(credit) : 0), 0)
}

describe('the credit of an asset', () => {
  test('is multiplied by at most 1 + ln k if k authors post k near-copies of a text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 63 }), async (k, bit) => {
        const single = await creditOf([post(0, {})])
        const copies = Array.from({ length: k }, (_, n) =>
          post(n, { simhash: n % 2 === 0 ? 0xfeed_beef_1234n : 0xfeed_beef_1234n ^ (1n << BigInt(bit)) }),
        )
        const many = await creditOf(copies)
        expect(many).toBeCloseTo(single * (1 + Math.log(k)), 4)
        // Further copies by the same authors add nothing.
        expect(await creditOf([...copies, ...copies.map((one) => ({ ...one, post_id: `${one.post_id}b` }))])).toBe(many)
      }),
      { numRuns: sized(2, 3, 9), endOnFailure: true },
    )
  })

  test('moves less by a campaign of 10,000 posts than by one post of each of 12 good authors', async () => {
    const random = randomOf(7)
    const organic = Array.from({ length: 200 }, (_, n) => post(n, { simhash: hashOf(random) }))
    const good = Array.from({ length: 12 }, (_, n) => post(1_000 + n, { author: `good${n}`, simhash: hashOf(random) }))
    const quality = Object.fromEntries(good.map(({ author }) => [`x ${author}`, 0.8]))
    const text = hashOf(random)
    const bots = Array.from({ length: sized(1_000, 2_000, 10_000) }, (_, n) =>
      post(2_000 + n, {
        hour: -15 + n / 10_000,
        author: `bot${n % 5_000}`,
        simhash: text ^ (1n << BigInt(n % 64)),
        engaged: [],
      }),
    )
    const base = await creditOf(organic, quality)
    const byBots = (await creditOf([...organic, ...bots], quality)) - base
    const byAuthors = (await creditOf([...organic, ...good], quality)) - base
    expect(byBots).toBeGreaterThan(0)
    expect(byBots).toBeLessThan(byAuthors)
  })
})
