import { describe, expect, it } from 'vitest'

import { frameOf, rkeyOf } from '#sim/social/bluesky_wire/frames.ts'
import { eventAt } from '#sim/social/network.ts'
import { postsOf } from '#sim/social/platform_posts.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { noon } from '#test/lake/fixture.ts'

const day = 86_400_000_000
const world = createSocialWorld({ seed: 9, start: noon })

describe('the simulated network', () => {
  it('has the planted shares and tones of assets, within three standard errors', () => {
    const posts = postsOf(world, 'x', noon, noon + 4 * day)
    const about = posts.filter(({ asset }) => asset !== null)
    expect(about.length).toBeGreaterThan(1_000)
    for (const [n, { share, bull }] of world.assets.entries()) {
      const own = about.filter(({ asset }) => asset === n)
      const se = (p: number, of: number): number => 3 * Math.sqrt((p * (1 - p)) / of)
      expect(Math.abs(own.length / about.length - share)).toBeLessThan(se(share, about.length))
      const bullish = own.filter(({ isBullish }) => isBullish).length / own.length
      expect(Math.abs(bullish - bull)).toBeLessThan(se(bull, own.length))
    }
  })

  it('names the asset of each post about one, and none in any other', () => {
    for (const { text, asset } of postsOf(world, 'reddit', noon, noon + day)) {
      const named = world.assets.findIndex(({ symbol, name }) => text.includes(`$${symbol}`) || text.includes(name))
      expect(named).toBe(asset ?? -1)
    }
  })

  it('has a surge in its time alone, by many authors in words of their own', () => {
    const surge = { asset: 4, from: noon + day, to: noon + 2 * day, share: 0.5 }
    const posts = postsOf(createSocialWorld({ seed: 9, start: noon, surge }), 'x', noon, noon + 3 * day)
    const shareIn = (from: number): number => {
      const within = posts.filter(({ at }) => at >= from && at < from + day)
      return within.filter(({ asset }) => asset === surge.asset).length / within.length
    }
    expect(shareIn(noon)).toBeLessThan(0.1)
    expect(shareIn(noon + day)).toBeGreaterThan(0.45)
    expect(shareIn(noon + 2 * day)).toBeLessThan(0.1)
    const own = posts.filter(({ at, asset }) => at >= surge.from && at < surge.to && asset === surge.asset)
    expect(new Set(own.map(({ author }) => author)).size).toBeGreaterThan(own.length / 2)
    expect(new Set(own.map(({ text }) => text)).size).toBeGreaterThan(0.99 * own.length)
  })

  it('has a campaign of bots in its time alone, which repeat one text', () => {
    const campaign = { asset: 3, from: noon + day, to: noon + 2 * day, n_bots: 50, share: 0.3 }
    const posts = postsOf(createSocialWorld({ seed: 9, start: noon, campaign }), 'x', noon, noon + 3 * day)
    const bots = posts.filter(({ isBot }) => isBot)
    const within = posts.filter(({ at }) => at >= campaign.from && at < campaign.to)
    expect(bots.every((post) => within.includes(post) && post.asset === 3)).toBe(true)
    expect(bots.length / within.length).toBeGreaterThan(0.25)
    expect(new Set(bots.map(({ text }) => text.split(' ').slice(0, -1).join(' '))).size).toBe(1)
    expect(new Set(bots.map(({ author }) => author)).size).toBeGreaterThan(25)
  })

  it('follows from the seed: an event is the same whenever it is asked for', () => {
    const numbers = Array.from({ length: 500 }, (_, n) => n * 37)
    const frames = numbers.map((n) => frameOf(world, eventAt(world, n)).text)
    expect(numbers.toReversed().map((n) => frameOf(world, eventAt(world, n)).text)).toEqual(frames.toReversed())
    expect(new Set(numbers.map(rkeyOf)).size).toBe(numbers.length)
  })
})
