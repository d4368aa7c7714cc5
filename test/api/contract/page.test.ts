import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startService, type Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

const minute_us = 60_000_000

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const nextOf = (link: unknown): string | undefined => /^<([^>]*)>; rel="next"$/.exec(String(link))?.[1]

/** All pages of a walk, each as its items. */
const walk = async (path: string): Promise<Record<string, unknown>[][]> => {
  const pages: Record<string, unknown>[][] = []
  const totals = new Set<number>()
  for (let next: string | undefined = path; next !== undefined;) {
    service.clock.at += minute_us
    const { status, items, headers } = await service.ask(next)
    expect(status).toBe(200)
    totals.add(Number(headers['x-total-count']))
    pages.push(items)
    next = nextOf(headers.link)
  }
  expect([...totals], 'X-Total-Count of every page').toEqual([pages.flat().length])
  return pages
}

const markets = fc.uniqueArray(
  fc.record({
    // Few volumes make many ties; ids that differ in case and length alone make the ties hard.
    volume: fc.constantFrom('0', '0.01', '5.00', '99999999999999999999.99', '12.30'),
    id: fc.stringMatching(/^[a-bA-B\-.:'"&=%+ü]{1,6}$/),
  }),
  { selector: ({ id }) => id, maxLength: 60 },
)

const byServedOrder = (a: { volume: string; id: string }, b: { volume: string; id: string }) =>
  Number(b.volume) - Number(a.volume) || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))

describe('walking the pages', () => {
  test('gives every row once, in the total order, whatever the size of the pages', async () => {
    let n = 0
    await fc.assert(
      fc.asyncProperty(markets, fc.integer({ min: 1, max: 70 }), async (rows, limit) => {
        await service.publish(`walk-${n++}`, { markets: rows })
        const pages = await walk(`/v1/pm-markets?limit=${limit}`)
        expect(pages.flat().map(({ id }) => id)).toEqual(rows.toSorted(byServedOrder).map(({ id }) => id))
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit)
        expect(pages.at(-1)?.length ?? 0).toBeLessThanOrEqual(limit)
        if (rows.length > 0) expect(pages.at(-1)?.length).toBeGreaterThan(0)
      }),
      { numRuns: sized(8, 15, 25) },
    )
  })

  test('goes through the open and the closed markets of both tables', async () => {
    await service.publish('both', {
      markets: [
        { id: 'a', volume: '1' },
        { id: 'b', volume: '3', is_open: false },
        { id: 'k', volume: '2', platform: 'kalshi' },
      ],
      closed: [{ id: 'c' }, { id: 'Z', platform: 'kalshi' }],
    })
    const idsOf = async (query: string) => (await walk(`/v1/pm-markets?limit=1&${query}`)).flat().map(({ id }) => id)
    expect(await idsOf('')).toEqual(['k', 'a'])
    expect(await idsOf('status=closed')).toEqual(['b', 'Z', 'c'])
    expect(await idsOf('status=all')).toEqual(['b', 'k', 'a', 'Z', 'c'])
    expect(await idsOf('status=all&platform=kalshi')).toEqual(['k', 'Z'])
    expect(await idsOf('platform=limitless')).toEqual([])
  })

  test('goes through a leaderboard by its rank', async () => {
    const walletOf = (i: number) => `0x${String(i).padStart(40, '0')}`
    const traders = ['clv', 'pnl'].flatMap((sort) =>
      Array.from({ length: 7 }, (_, i) => ({ wallet: walletOf(sort === 'pnl' ? 6 - i : i), sort })),
    )
    await service.publish('traders', { traders })
    const walletsOf = async (query: string) =>
      (await walk(`/v1/pm-traders?limit=3&${query}`)).flat().map(({ wallet }) => wallet)
    expect(await walletsOf('')).toEqual([0, 1, 2, 3, 4, 5, 6].map(walletOf))
    expect(await walletsOf('sort=pnl')).toEqual([6, 5, 4, 3, 2, 1, 0].map(walletOf))
    expect(await walletsOf('range=90d')).toEqual([])
  })

  test('without a limit takes pages of 1,000', async () => {
    await service.publish('long', { markets: Array.from({ length: 2_001 }, (_, i) => ({ id: `m${i}` })) })
    const pages = await walk('/v1/pm-markets')
    expect(pages.map((page) => page.length)).toEqual([1_000, 1_000, 1])
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(2_001)
  })

  test('keeps the format, and the limit may change on the way', async () => {
    await service.publish('few', { markets: ['a', 'b', 'c', 'd'].map((id) => ({ id })) })
    const csv = await service.ask('/v1/pm-markets?limit=1', { headers: { accept: 'text/csv' } })
    const next = nextOf(csv.headers.link) ?? ''
    expect((await service.ask(next, { headers: { accept: 'text/csv' } })).text).toMatch(/^id,.*\r\nb,.*\r\n$/)
    const rest = await service.ask(next.replace('limit=1', 'limit=10'))
    expect(rest.items.map(({ id }) => id)).toEqual(['b', 'c', 'd'])
    expect(rest.headers).not.toHaveProperty('link')
  })
})

describe('a cursor', () => {
  const first = async (query = 'limit=1') => nextOf((await service.ask(`/v1/pm-markets?${query}`)).headers.link) ?? ''
  test('shows no value of its position', async () => {
    const cursor = cursorOf(await first())
    const bytes = Buffer.from(cursor, 'base64url').toString('latin1')
    for (const hidden of ['pulse-', 'polymarket', '":', '",']) expect(bytes).not.toContain(hidden)
    expect(cursorOf(await first())).toBe(cursor)
  })

  const cursorOf = (url: string) => new URL(url, 'http://x').searchParams.get('cursor') ?? ''

  test("continues in its own snapshot after a replacement, with that snapshot's dates", async () => {
    await service.publish('before', { markets: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], as_of: '2026-03-01 10:00:00' })
    const next = await first()
    await service.publish('after', { markets: [{ id: 'x' }], as_of: '2026-03-01 11:00:00' })
    service.clock.at += 14 * minute_us
    await service.marts.refresh()
    const page = await service.ask(next)
    expect(page.items.map(({ id }) => id)).toEqual(['b'])
    expect(page.headers['x-data-as-of']).toBe('2026-03-01T10:00:00.000Z')
    service.clock.at += 2 * minute_us
    await service.marts.refresh()
    const late = await service.ask(next)
    expect([late.status, late.json['error']]).toEqual([400, 'invalid_request'])
    expect(late.json['message']).toMatch(/^cursor: expired/)
  })

  test('fits no other query, no other endpoint, and not when it was changed', async () => {
    await service.publish('bound', {
      markets: [{ id: 'a' }, { id: 'b' }],
      traders: [{ wallet: '0x1' }, { wallet: '0x2' }],
    })
    const cursor = cursorOf(await first())
    const statusOf = async (path: string) => (await service.ask(path)).status
    expect(await statusOf(`/v1/pm-markets?cursor=${cursor}`)).toBe(200)
    expect(await statusOf(`/v1/pm-markets?status=open&platform=all&cursor=${cursor}`)).toBe(200)
    expect(await statusOf(`/v1/pm-markets?status=all&cursor=${cursor}`)).toBe(400)
    expect(await statusOf(`/v1/pm-markets?platform=polymarket&cursor=${cursor}`)).toBe(400)
    expect(await statusOf(`/v1/pm-traders?cursor=${cursor}`)).toBe(400)
    for (let i = 0; i < cursor.length; i += 5) {
      const changed = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1)
      expect(await statusOf(`/v1/pm-markets?cursor=${changed}`), changed).toBe(400)
    }
  })

  test('of another installation is none', async () => {
    const other = await startService({ rows: { markets: [{ id: 'a' }, { id: 'b' }] } })
    const link = nextOf((await other.ask('/v1/pm-markets?limit=1')).headers.link) ?? ''
    await other.stop()
    await service.publish('same', { markets: [{ id: 'a' }, { id: 'b' }] })
    expect((await service.ask(link)).status).toBe(400)
  })

  test('is given in a URL that is relative to the host, or absolute where the address is known', async () => {
    await service.publish('link', { markets: [{ id: 'a' }, { id: 'b' }] })
    expect(await first()).toMatch(/^\/v1\/pm-markets\?/)
    const known = await startService({
      rows: { markets: [{ id: 'a' }, { id: 'b' }] },
      publicUrl: 'https://api.example.org',
    })
    const { headers } = await known.ask('/v1/pm-markets?limit=1')
    await known.stop()
    expect(nextOf(headers.link)).toMatch(
      /^https:\/\/api\.example\.org\/v1\/pm-markets\?platform=all&status=open&limit=1&cursor=[\w-]+$/,
    )
  })
})

test('a CSV has the name of its list as the name of its file, and JSON has none', async () => {
  const read = async (accept: string) => (await service.ask('/v1/pm-markets?limit=1', { headers: { accept } })).headers
  expect(await read('text/csv')).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="tapeline-pm-markets.csv"',
  })
  expect(await read('application/json')).not.toHaveProperty('content-disposition')
})
