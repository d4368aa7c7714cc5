import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startService, type Service } from '#test/api/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({
    rows: {
      momentum: [
        { symbol: 'BTC', pct: '40.25', delta: '-1.5', sentiment: 'bearish' },
        { symbol: 'ETH', pct: '20' },
        { symbol: 'W.2-A_B', pct: '3', delta: '0.000001', sentiment: 'bullish' },
        ...Array.from({ length: 30 }, (_, i) => ({ symbol: `A${i}`, range: '7d' })),
        { symbol: 'ETH', range: '7d', pct: '0.5' },
        { symbol: 'QUIET', pct: '0', n_posts: 0 },
      ],
      unread: ['ZERO'],
      platforms: ['4chan', 'x'].flatMap((platform) => ['7d', '30d'].map((range) => ({ platform, range }))),
    },
  })
})
afterAll(() => service.stop())

const askFor = async (query: string) => {
  const { status, items, json, headers } = await service.ask(`/v1/signals${query}`)
  return { status, items, message: json['message'], link: headers.link, coverage: headers['x-coverage'] }
}
const symbolsOf = async (query: string) => (await askFor(query)).items.map(({ symbol }) => symbol)

describe('the list', () => {
  test('has the tracked assets of 30 days by rank, with the fields of the contract alone', async () => {
    const { items, coverage } = await askFor('')
    expect(items).toEqual([
      { symbol: 'BTC', mindshare_pct: 40.25, mindshare_delta: -1.5, sentiment: 'bearish', rank: 1 },
      { symbol: 'ETH', mindshare_pct: 20, mindshare_delta: 0, sentiment: 'neutral', rank: 2 },
      { symbol: 'W.2-A_B', mindshare_pct: 3, mindshare_delta: 0.000001, sentiment: 'bullish', rank: 3 },
    ])
    expect(coverage).toBe('complete')
    expect(await askFor('?range=30d')).toMatchObject({ items })
  })

  test('of 7 days is another one', async () => {
    const { items } = await askFor('?range=7d')
    expect(items).toHaveLength(31)
    expect(items.at(-1)).toMatchObject({ symbol: 'ETH', rank: 31, mindshare_pct: 0.5 })
  })

  test('comes in pages, each asset once, also of named assets', async () => {
    const named = Array.from({ length: 20 }, (_, i) => `a${i + 5}`).join(',')
    for (const [query, n] of [
      ['range=7d', 31],
      [`range=7d&assets=${named},eth`, 21],
    ] as const) {
      const ranks: number[] = []
      let next: string | undefined = `/v1/signals?${query}&limit=4`
      while (next !== undefined) {
        const { items, headers } = await service.ask(next)
        ranks.push(...items.map(({ rank }) => Number(rank)))
        next = /^<([^>]*)>/.exec(String(headers.link))?.[1]
      }
      expect(ranks).toHaveLength(n)
      expect(ranks).toEqual([...new Set(ranks)].toSorted((a, b) => a - b))
    }
  })

  test('is CSV', async () => {
    const { text } = await service.ask('/v1/signals?assets=ETH', { headers: { accept: 'text/csv' } })
    expect(text).toBe('symbol,mindshare_pct,mindshare_delta,sentiment,rank\r\nETH,20,0,neutral,2\r\n')
  })
})

describe('the assets', () => {
  test('are named in any case and order, also twice, and keep their ranks', async () => {
    const { items } = await askFor('?assets=w.2-a_b,eth,ETH')
    expect(items.map(({ symbol, rank }) => [symbol, rank])).toEqual([
      ['ETH', 2],
      ['W.2-A_B', 3],
    ])
  })

  test('that are not tracked are a 400 that names the first', async () => {
    for (const assets of ['NONE', 'none,BTC', 'BTC,ZZZ,NONE'])
      expect(await askFor(`?assets=${assets}`)).toMatchObject({
        status: 400,
        message: 'assets: "NONE" is not tracked; expected symbols of tracked assets.',
      })
  })

  test('without a reading rank last, and the coverage names them', async () => {
    const { items, coverage } = await askFor('?assets=zero,quiet,btc')
    const unread = { mindshare_pct: 0, mindshare_delta: 0, sentiment: 'neutral' }
    expect(items).toEqual([
      { symbol: 'BTC', mindshare_pct: 40.25, mindshare_delta: -1.5, sentiment: 'bearish', rank: 1 },
      { symbol: 'QUIET', ...unread, rank: 4 },
      { symbol: 'ZERO', ...unread, rank: 35 },
    ])
    expect(coverage).toBe('partial; reason="no reading of QUIET, ZERO"')
    expect(await symbolsOf('')).not.toContain('QUIET')
  })

  test.each(['', ',', 'BTC,', 'BTC,,ETH', 'BTC ETH', '$BTC', 'a'.repeat(21), "BTC'", Array(101).fill('BTC').join()])(
    'written as %s are a 400',
    async (assets) => {
      const { status, message } = await askFor(`?assets=${encodeURIComponent(assets)}`)
      expect([status, String(message).slice(0, 7)]).toEqual([400, 'assets:'])
      expect(message).toContain('1 to 100 symbols, separated by commas')
    },
  )
})

test.each(['range=90d', 'range=', 'range=24h', 'asset=BTC', 'limit=0'])('%s is a 400', async (query) => {
  expect((await askFor(`?${query}`)).status).toBe(400)
})

describe('the coverage', () => {
  test.each([
    [[], 'partial; reason="mindshare rests on news, x"'],
    [['news', 'x'], 'partial; reason="no platform was read well enough"'],
    [['x'], 'partial; reason="mindshare rests on news"'],
  ])('names the platforms behind mindshare, without the unhealthy %s', async (unhealthy, expected) => {
    const isHealthy = (platform: string) => platform !== 'reddit' && !unhealthy.includes(platform)
    const platforms = ['x', 'news', 'reddit'].map((platform) => ({ platform, is_healthy: isHealthy(platform) }))
    const partial = await startService({ rows: { platforms } })
    expect((await partial.ask('/v1/signals')).headers['x-coverage']).toBe(expected)
    await partial.stop()
  })

  test.each([
    [['news'], 'partial; reason="mindshare_delta rests on news"'],
    [[], 'partial; reason="no platform was read well enough before, so mindshare_delta is 0"'],
  ])('names the platforms behind the change, %s', async (before, expected) => {
    const platforms = ['news', 'x'].map((platform) => ({
      platform,
      range: '7d',
      was_healthy: before.includes(platform),
    }))
    const partial = await startService({ rows: { platforms } })
    expect((await partial.ask('/v1/signals?range=7d')).headers['x-coverage']).toBe(expected)
    await partial.stop()
  })

  test('says why a platform that was read does not count', async () => {
    const platforms = [
      { platform: 'news' },
      { platform: 'reddit', is_healthy: false, covered_share: 0.57, n_credited: 512 },
      { platform: 'telegram', is_healthy: false, covered_share: 0, n_credited: 0 },
      { platform: 'x', is_healthy: false, covered_share: 0, n_credited: 1_234 },
    ]
    const partial = await startService({ rows: { platforms } })
    expect((await partial.ask('/v1/signals')).headers['x-coverage']).toBe(
      'partial; reason="mindshare rests on news; not reddit: 57 % of its hours were read in full, 512 posts have credit; ' +
        'not x: 0 % of its hours were read in full, 1234 posts have credit"',
    )
    await partial.stop()
  })

  test('of a snapshot of an earlier version is unknown, and without mindshare there is a 503', async () => {
    const earlier = await startService({ rows: { without: ['signal_platforms'] } })
    expect((await earlier.ask('/v1/signals')).headers['x-coverage']).toBe(
      'partial; reason="the platforms are not known"',
    )
    await earlier.stop()
    const oldest = await startService({ rows: { without: ['signals', 'signal_platforms'] } })
    const { status, json } = await oldest.ask('/v1/signals')
    expect([status, json['error']]).toEqual([503, 'not_ready'])
    await oldest.stop()
  })
})
