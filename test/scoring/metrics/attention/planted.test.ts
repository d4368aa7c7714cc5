import { expect, test } from 'vitest'

import { hashOf, platformNames, randomOf, universe, type AttentionWorld } from '#test/oracle/attention/world.ts'
import { sized } from '#test/run/sized.ts'
import { build, lakeOf } from '#test/scoring/core/attention/lake.ts'

/** The planted shares of the universe; the rest goes to an asset outside of it. */
const planted = { AAA: 0.5, BBB: 0.3, CCC: 0.1, DDD: 0.05 }

/** Posts of one asset each, by authors who prefer none, in texts of their own. */
function plantedWorld(seed: number): AttentionWorld {
  const random = randomOf(seed)
  const draw = (): string => {
    let left = random()
    return universe.find((symbol) => (left -= planted[symbol]) < 0) ?? 'eee'
  }
  const posts = platformNames.flatMap((platform) =>
    Array.from({ length: 400 }, (_, n) => ({
      platform,
      post_id: `p${n}`,
      hour: -7 * 24 * random(),
      author: `author${Math.floor(150 * random())}`,
      simhash: hashOf(random),
      assets: [draw()],
      confidence: 1,
      tone: [0, 0] as const,
      engaged: [],
    })),
  )
  const authors = platformNames.flatMap((platform) => Array.from({ length: 150 }, (_, n) => `${platform} author${n}`))
  return {
    posts,
    covered: Object.fromEntries(platformNames.map((platform) => [platform, [-8 * 24, 0] as const])),
    quality: Object.fromEntries(authors.map((author) => [author, 0.1 + 0.8 * random()])),
  }
}

test('planted shares are within two standard errors of mindshare for 95 % of the assets', async () => {
  const distances: number[] = []
  for (let seed = 1; seed <= sized(3, 10, 60); seed++) {
    const { 'metrics.attention': rows } = await build(['metrics.attention'], lakeOf(plantedWorld(seed)))
    for (const [symbol, share] of Object.entries(planted)) {
      const row = rows.find((one) => one['range'] === '7d' && one['platform'] === '*' && one['symbol'] === symbol)
      distances.push(Math.abs(Number(row?.['mindshare_pct']) - 100 * share) / Number(row?.['se']))
    }
  }
  const within = distances.filter((distance) => distance <= 2).length / distances.length
  // The share of a normal estimate is 95.4 %, so the bound lies two binomial errors below it.
  expect(within).toBeGreaterThanOrEqual(0.954 - 2 * Math.sqrt((0.954 * 0.046) / distances.length))
  expect(Math.max(...distances)).toBeGreaterThan(1)
})
