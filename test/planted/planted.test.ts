import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { plant, type Lines, type Planted } from './plant.ts'

/** The lines that a list of the tree needs for the planted venue and platform: an import, and a name in the list. */
const lines: Lines = {
  'registry/venues/index.ts': [
    ['import { polymarket }', "import { manifold } from './manifold.ts'\nimport { polymarket }"],
    ['kalshi, limitless]', 'kalshi, limitless, manifold]'],
  ],
  'sources/markets/index.ts': [
    [
      'import { polymarketSources }',
      "import { manifoldSources } from './manifold/index.ts'\nimport { polymarketSources }",
    ],
    ['kalshiSources]', 'kalshiSources, manifoldSources]'],
  ],
  'sim/markets/venues.ts': [
    ['import { polymarket }', "import { manifold } from './manifold_wire/index.ts'\nimport { polymarket }"],
    ['limitless, kalshi }', 'limitless, kalshi, manifold }'],
  ],
  'registry/platforms/index.ts': [
    ['import { news }', "import { lemmy } from './lemmy.ts'\nimport { news }"],
    ['fourchan, news,', 'fourchan, lemmy, news,'],
  ],
  'sources/social/index.ts': [
    ['import { newsFeeds }', "import { lemmyPosts } from './lemmy/lemmy_posts.ts'\nimport { newsFeeds }"],
    ['  xSearch,\n', '  xSearch,\n  lemmyPosts,\n'],
  ],
}

const answer = <T extends z.ZodType>(body: T) =>
  z.object({ status: z.literal(200).or(z.literal(201)), coverage: z.string().nullable(), body })
const trader = z.object({ wallet: z.string(), pnl: z.number(), win_rate: z.number() })
const weights = z.array(z.object({ platform: z.string(), weight: z.number() }))
const shape = z.object({
  markets: answer(
    z.array(z.object({ id: z.string(), platform: z.string(), yes_price: z.number(), volume_24h: z.number() })),
  ),
  kalshi: answer(z.array(z.unknown())),
  traders: answer(z.array(trader)),
  expected: z.array(trader),
  chat: answer(z.object({ answer: z.string(), sources: z.array(z.object({ entity: z.string() })) })),
  shortened: answer(z.object({ sources: z.array(z.object({ entity: z.string() })) })),
  watchlist: answer(z.object({ items: z.array(z.string()) })),
  slug: z.string(),
  signals: answer(z.array(z.object({ symbol: z.string(), mindshare_pct: z.number() }))),
  shares: z.record(z.string(), z.number()),
  file: z.object({ weights, healthy: weights, explained: z.array(z.object({ part: z.string(), what: z.string() })) }),
})

let planted: Planted
let served: z.output<typeof shape>

beforeAll(async () => {
  planted = await plant(['venue', 'platform'], lines)
  served = shape.parse(await planted.run('run.ts'))
}, 300_000)
afterAll(() => planted.remove())

describe('a planted fourth venue: a file of the registry, a folder of sources, and a line in each list', () => {
  test('has odds and volumes', () => {
    const { body } = served.markets
    expect(body.length).toBeGreaterThan(10)
    expect(new Set(body.map(({ platform }) => platform))).toEqual(new Set(['manifold']))
    expect(body.every(({ id }) => id.startsWith('manifold:'))).toBe(true)
    expect(body.filter(({ volume_24h }) => volume_24h > 0).length).toBeGreaterThan(5)
    expect(served.kalshi.body).toEqual([])
  })

  test('has traders, whose results are the true ones', () => {
    const listed = served.traders.body.map(({ wallet, pnl, win_rate }) => ({ wallet, pnl, win_rate }))
    expect(listed.length).toBeGreaterThan(5)
    expect(listed).toEqual(served.expected)
  })

  test('has a name that the assistant understands, also shortened', () => {
    const { answer: text, sources } = served.chat.body
    expect(text).toContain('manifold')
    for (const { body } of [served.chat, served.shortened]) {
      expect(body.sources.length).toBeGreaterThan(0)
      expect(body.sources.every(({ entity }) => entity.startsWith('manifold:'))).toBe(true)
    }
    expect(sources.map(({ entity }) => entity)).toContain(
      served.markets.body.toSorted((a, b) => b.volume_24h - a.volume_24h)[0]?.id,
    )
  })

  test('has ids of markets that watchlists and analysts take in any case', () => {
    expect(served.watchlist.body.items).toEqual([`manifold:${served.slug}`])
    expect(served.file.explained).toHaveLength(1)
  })
})

describe('a planted platform: a file of the registry, a folder of sources, and a line in each list', () => {
  test('counts in mindshare with its weight, and no other weight had to change', () => {
    // Its 25 parts join the 100 of the others.
    expect(served.file.healthy).toEqual([{ platform: 'lemmy', weight: 0.2 }])
    expect(served.file.weights.find(({ platform }) => platform === 'reddit')?.weight).toBeCloseTo(0.16, 6)
    expect(served.file.weights.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 5)
    expect(served.signals.coverage).toContain('lemmy')
    for (const { symbol, mindshare_pct } of served.signals.body)
      expect(Math.abs(mindshare_pct - (served.shares[symbol] ?? 0))).toBeLessThan(6)
    expect(served.signals.body.length).toBe(Object.keys(served.shares).length)
  })
})
