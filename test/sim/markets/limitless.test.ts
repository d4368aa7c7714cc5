import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { exposedWorld, isMade } from '#sim/markets/limitless_wire/exposed_world.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'

const limitless = exposedWorld(createWorld({ seed: 4, scale: 0.06 }))
const { now, markets, traders, fills } = limitless
const market = z.looseObject({ slug: z.string(), status: z.string(), prices: z.array(z.number()), volume: z.string() })
const group = z.looseObject({ slug: z.string(), markets: z.array(market) })
const active = z.object({ data: z.array(z.union([group, market])), totalMarketsCount: z.number() })
const history = z.object({
  data: z.array(z.looseObject({ tradeEventId: z.string(), collateralAmount: z.string(), strategy: z.string() })),
  nextCursor: z.string().nullish(),
  totalCount: z.number().optional(),
})

describe('a simulated Limitless', () => {
  let upstream: ServedWorld
  let clock = now
  beforeAll(async () => {
    upstream = await serveWorld({ world: limitless, others: { limitless }, clock: () => clock })
  })
  afterAll(() => upstream.close())

  const ask = async (path: string, agent = 'tapeline/test'): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${upstream.hosts.limitless}${path}`, { headers: { 'user-agent': agent } })
    return { status: response.status, text: await response.text() }
  }
  const read = async <T>(path: string, shape: z.ZodType<T>): Promise<T> => {
    const { status, text } = await ask(path)
    expect(status).toBe(200)
    return shape.parse(JSON.parse(text))
  }
  const historyOf = (wallet: string, query = 'limit=100') => read(`/portfolio/${wallet}/history?${query}`, history)
  const fillsOf = (trader: number): number => [...fills.trader].filter((one) => one === trader).length
  const busiest = traders.toSorted((a, b) => fillsOf(b.index) - fillsOf(a.index))
  const modern = busiest.find(({ index }) => index % 3 !== 0)?.wallet ?? ''
  const old = busiest.find(({ index }) => index % 3 === 0)?.wallet ?? ''

  test.each(['python-requests/2.31', 'node', 'undici', 'curl/8.1'])('turns away the agent %s', async (agent) => {
    expect(await ask('/markets/active', agent)).toEqual({ status: 403, text: 'error code: 1010' })
  })

  test.each([
    ['/markets/nothing', 404],
    ['/markets/nothing/events', 404],
    [`/portfolio/0x${'0'.repeat(40)}/history?limit=10`, 404],
    ['/portfolio/somebody/history?limit=10', 400],
    [`/portfolio/${modern}/history?limit=101`, 400],
    [`/markets/${markets.find(({ kind }) => kind !== 'legacy')?.slug}/events?limit=101`, 400],
    [`/markets/active?page=0`, 400],
    ['/leaderboard', 404],
  ])('answers %s with %i', async (path, status) => {
    expect((await ask(path)).status).toBe(status)
  })

  test('lists active markets alone, 25 on a page, with the markets of a group inside', async () => {
    const rows = []
    for (let page = 1; ; page++) {
      const { data, totalMarketsCount } = await read(`/markets/active?limit=500&page=${page}`, active)
      rows.push(...data)
      expect(data.length).toBeLessThanOrEqual(25)
      if (data.length === 0) {
        expect(rows.length).toBe(totalMarketsCount)
        break
      }
    }
    const listed = rows.flatMap((row): z.output<typeof market>[] => {
      const nested = group.safeParse(row).data?.markets
      return nested ?? [market.parse(row)]
    })
    expect(rows.some((row) => 'markets' in row)).toBe(true)
    const open = markets.filter(({ kind, createdAt_s, closedAt_s }) => {
      return kind !== 'legacy' && createdAt_s * 1e6 <= now && now < closedAt_s * 1e6
    })
    const slugs = new Set(listed.map(({ slug }) => slug))
    expect(open.filter(({ slug }) => !slugs.has(slug))).toEqual([])
    expect(new Set(markets.map(({ slug }) => slug)).size).toBe(markets.length)
    for (const { volume } of listed) expect(volume).toMatch(/^\d+$/)
    expect(listed.some(({ prices: [yes = 0] }) => yes > 1)).toBe(true)
  })

  test('shows a resolved market by its slug, without a winner if it was void', async () => {
    const results = new Map([['first', 0], ['second', 1], ['void', null], ['fifty_fifty', null]]) // prettier-ignore
    const resolved = markets.filter(({ result, resolvedAt_s }) => results.has(result) && resolvedAt_s * 1e6 <= now)
    for (const { slug, result } of resolved.slice(0, 40)) {
      const winner = results.get(result)
      expect(await read(`/markets/${slug}`, market)).toMatchObject({ status: 'RESOLVED', winningOutcomeIndex: winner })
    }
  })

  test('shows the takers of a market, as they were up to a minute ago', async () => {
    const events = z.object({ events: z.array(z.looseObject({ createdAt: z.string() })).optional(), data: z.array(z.looseObject({ createdAt: z.string() })).optional(), totalPages: z.number() }) // prettier-ignore
    const last = Math.max(
      ...[...fills.match.keys()].filter((fill) => (fills.trader[fill] ?? -1) >= 0 && fills.isTaker[fill] === 1),
    )
    const match = fills.match[last] ?? 0
    const slug = markets[limitless.matches.market[match] ?? 0]?.slug ?? ''
    const ts_s = limitless.matches.ts_s[match] ?? 0
    const seen = async (at_s: number): Promise<boolean> => {
      clock = at_s * 1e6
      const body = await read(`/markets/${slug}/events?limit=100&page=1`, events)
      clock = now
      return (body.events ?? body.data ?? []).some(({ createdAt }) => Date.parse(createdAt) === ts_s * 1000)
    }
    expect(await seen(ts_s - 1)).toBe(false)
    expect(await seen(ts_s + 60)).toBe(true)
  })

  test('shows each side of a match with the automated maker in the feed of its market alone', async () => {
    const event = z.looseObject({ eventType: z.string() })
    const page = z.union([z.array(event), z.object({ data: z.array(event), totalPages: z.number() })])
    const rowsOf = async (slug: string, n: number) => {
      const body = await read(`/markets/${slug}/get-feed-events?limit=100&page=${n}`, page)
      return Array.isArray(body) ? body : body.data
    }
    const made = markets.filter((one) => isMade(one) && one.createdAt_s * 1e6 <= now)
    expect(made.length).toBeGreaterThan(3)
    for (const { slug, index } of made) {
      const types: string[] = []
      for (let n = 1, rows = await rowsOf(slug, 1); rows.length > 0; n += 1, rows = await rowsOf(slug, n)) {
        types.push(...rows.map(({ eventType }) => eventType))
      }
      const { ts_s, market: of } = limitless.matches
      const isShown = (match: number): boolean => of[match] === index && (ts_s[match] ?? 0) <= now / 1e6 - 60
      const sides = [...fills.match].filter((match, fill) => isShown(match) && (fills.trader[fill] ?? -1) >= 0).length
      expect([types.filter((type) => type === 'NEW_TRADE').length, types.at(-1)]).toEqual([sides, 'FUNDED_MARKET'])
      expect((await ask(`/markets/${slug}/events?limit=100`)).status).toBe(404)
    }
  })

  test('shows the history of an account by cursors, which belong to their filter', async () => {
    const ids: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await historyOf(modern, `limit=40${cursor ? `&cursor=${cursor}` : ''}`)
      ids.push(...page.data.map(({ tradeEventId }) => tradeEventId))
      expect(page.totalCount).toBeUndefined()
      if (cursor === undefined) {
        expect((await ask(`/portfolio/${modern}/history?limit=50&cursor=${page.nextCursor}`)).status).toBe(400)
        expect((await ask(`/portfolio/${old}/history?limit=40&cursor=${page.nextCursor}`)).status).toBe(200)
      }
      cursor = page.nextCursor
    } while (cursor)
    expect(ids.length).toBeGreaterThan(80)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('shows some histories by page, with raw amounts', async () => {
    const { data, totalCount, nextCursor } = await historyOf(old)
    expect([data.length, nextCursor]).toEqual([Math.min(100, totalCount ?? 0), undefined])
    for (const row of data) expect(row.collateralAmount).toMatch(/^\d+$/)
    const decimals = (await historyOf(modern)).data.map((row) => row.collateralAmount)
    expect(decimals.some((text) => text.includes('.'))).toBe(true)
  })
})
