import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { burstsOf } from '#test/oracle/attention/bursts.ts'
import { hashOf, platformNames, randomOf, type AttentionWorld, type WorldPost } from '#test/oracle/attention/world.ts'
import { sized } from '#test/run/sized.ts'
import { build, instant, lakeOf } from '#test/scoring/core/attention/lake.ts'

const DAYS = 12

/** Posts of 12 days on three platforms, a few of them on assets, some as copies, and a day with a burst of AAA. */
function burstWorld(seed: number): AttentionWorld {
  const random = randomOf(seed)
  const texts = Array.from({ length: 10 }, () => hashOf(random))
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const burst = { from: -Math.ceil(random() * 48), n: Math.floor(random() * 60) }
  const post = (platform: string, n: number, hour: number, assets: readonly string[]): WorldPost => ({
    platform,
    post_id: `p${n}`,
    hour: Math.round(hour * 60) / 60 - 1 / 120,
    author: `author${Math.floor(120 * random() ** 2)}`,
    simhash: random() < 0.2 ? pick(texts) : hashOf(random),
    assets,
    confidence: 1,
    tone: [0, 0],
    engaged: [],
  })
  const posts = platformNames.flatMap((platform, place) => {
    const plain = Array.from({ length: 500 }, (_, n) =>
      post(platform, n, -24 * DAYS * random(), random() < 0.3 ? [pick(['AAA', 'BBB', 'CCC', 'eee'])] : []),
    )
    const further = Array.from({ length: Math.ceil(burst.n / (1 + place)) }, (_, n) =>
      post(platform, 1_000 + n, burst.from + 5 * random(), random() < 0.1 ? [...'abcdefghi'] : ['AAA']),
    )
    return [...plain, ...further.filter(({ hour }) => hour < 0)]
  })
  // One platform drops most of its posts, more of them on some days.
  const dropped = Array.from({ length: 24 * DAYS }, (_, n) => ({
    platform: 'bluesky',
    hour: -n - 1 + 1 / 120,
    n_posts: Math.floor((1 + (n % 48)) * random()),
  }))
  return { posts, covered: {}, quality: {}, dropped }
}

const found = async (world: AttentionWorld) => {
  const { 'metrics.bursts': rows } = await build(['metrics.bursts'], lakeOf(world))
  return rows
}

test('bursts are those of the definition, window by window', async () => {
  let n_bursts = 0
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 1_000_000 }), async (seed) => {
      const world = burstWorld(seed)
      const rows = await found(world)
      const truth = burstsOf(world)
      n_bursts += truth.length
      const key = (symbol: unknown, ts: string): string =>
        `${String(symbol)} ${ts.replace(/\.0*$/, '').replace('T', ' ')}`
      const byKey = new Map(rows.map((row) => [key(row['symbol'], String(row['ts'])), row]))
      expect([...byKey.keys()].sort()).toEqual(truth.map(({ symbol, hour }) => key(symbol, instant(hour))).sort())
      for (const one of truth) {
        const row = byKey.get(key(one.symbol, instant(one.hour)))
        expect(row?.['n_authors']).toBe(one.n_authors)
        expect(row?.['expected']).toBeCloseTo(one.expected, 9)
        expect(row?.['dispersion']).toBeCloseTo(one.dispersion, 9)
        expect(Math.log(Number(row?.['p']))).toBeCloseTo(Math.log(one.p), 6)
        expect(row?.['information']).toBeCloseTo(Math.min(20, -Math.log10(one.p)), 6)
      }
    }),
    { numRuns: sized(1, 2, 6), endOnFailure: true, examples: [[7]] },
  )
  expect(n_bursts).toBeGreaterThan(0)
})

/** A quiet world, in which `further` posts on AAA end it. */
const endingWith = (further: (random: () => number) => Partial<WorldPost>[]): AttentionWorld => {
  const random = randomOf(5)
  const post = (n: number, hour: number, more: Partial<WorldPost> = {}): WorldPost => ({
    platform: platformNames[n % 2] ?? '',
    post_id: `p${n}`,
    hour,
    author: `author${n % 400}`,
    simhash: hashOf(random),
    assets: [n % 20 === 0 ? 'AAA' : 'BBB'],
    confidence: 1,
    tone: [0, 0],
    engaged: [],
    ...more,
  })
  const quiet = Array.from({ length: 1_500 }, (_, n) => post(n, -14 * 24 * random()))
  const ending = further(random).map((more, n) =>
    post(2_000 + n, -1 - n / 100, { author: `further${n}`, assets: ['AAA'], ...more }),
  )
  return { posts: [...quiet, ...ending], covered: {}, quality: {} }
}
const many = (n: number, of: (n: number) => Partial<WorldPost> = () => ({})): Partial<WorldPost>[] =>
  Array.from({ length: n }, (_, i) => of(i))

describe('30 further authors', () => {
  test('are a burst, with its posts of the largest weights as evidence', async () => {
    const [row] = (await found(endingWith(() => many(30)))).filter(({ ts }) => ts === '2026-11-20 12:30:00')
    expect(row).toMatchObject({ symbol: 'AAA', n_platforms: 2, confidence: 1 })
    expect(Number(row?.['n_authors'])).toBeGreaterThanOrEqual(30)
    const evidence = row?.['evidence'] as { kind: string; ref: string; value: number }[]
    expect(evidence).toHaveLength(5)
    expect(evidence[0]).toMatchObject({ kind: 'post', ref: expect.stringMatching(/^(bluesky|reddit):p\d+$/) })
    const values = evidence.map(({ value }) => value)
    expect(values).toEqual(values.toSorted((a, b) => b - a))
  })

  test('are none as copies, on one of two platforms, in lists of assets, or on an untracked asset', async () => {
    const groups = (random: () => number): Partial<WorldPost>[] => {
      const text = hashOf(random)
      return [
        ...many(30, () => ({ assets: ['AAA'], simhash: text })),
        ...many(30, () => ({ assets: ['CCC'], platform: 'bluesky' })),
        ...many(30, () => ({ assets: ['DDD', ...'abcdefgh'] })),
        ...many(30, () => ({ assets: ['eee'] })),
      ]
    }
    expect(await found(endingWith(groups))).toEqual([])
  })

  test('are none if the platforms had as many more posts on other things', async () => {
    const world = endingWith(() => many(30))
    const posts = Math.ceil((1_500 / (14 * 24)) * 6)
    const busy = ['bluesky', 'reddit'].map((platform) => ({ platform, hour: -1.5, n_posts: 30 * posts }))
    const atClock = async (dropped: AttentionWorld['dropped']) =>
      (await found({ ...world, ...(dropped && { dropped }) })).filter(({ ts }) => ts === '2026-11-20 12:30:00')
    expect(await atClock(undefined)).toHaveLength(1)
    expect(await atClock(busy)).toEqual([])
  })

  test('are none if as many came for days before', async () => {
    const rows = await found(endingWith(() => many(30).concat(many(300, (n) => ({ hour: -30 - n })))))
    expect(rows.filter(({ ts }) => ts === '2026-11-20 12:30:00')).toEqual([])
  })
})
