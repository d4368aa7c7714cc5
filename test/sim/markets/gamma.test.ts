import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'

import { ask, walkKeyset, type WireRow } from './all_pages.ts'
import { dayVolume, idsOf, known, now_s, world } from './facts.ts'

let served: ServedWorld
beforeAll(async () => {
  served = await serveWorld({ world, clock: () => world.now })
})
afterAll(async () => served.close())

/** A list inside a string. */
const listIn = (text: unknown): string[] => z.array(z.string()).parse(JSON.parse(z.string().parse(text)))

/** The tokens of a market, in the field of its version. */
const tokensIn = (row: WireRow): string[] =>
  row['version'] === 'v2' ? z.array(z.string()).parse(row['positionIds']) : listIn(row['clobTokenIds'])

const spacedTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/

describe('gamma', () => {
  test('gives each market once: open markets by default, closed markets on request', async () => {
    const open = await walkKeyset(`${served.hosts.polymarket_gamma}/markets/keyset?limit=7`, 'markets')
    const closed = await walkKeyset(`${served.hosts.polymarket_gamma}/markets/keyset?limit=7&closed=true`, 'markets')
    expect(open.nPages).toBeGreaterThan(1)
    expect(open.rows.every((row) => row['closed'] === false)).toBe(true)
    expect(closed.rows.every((row) => row['closed'] === true)).toBe(true)
    expect(idsOf([...open.rows, ...closed.rows], 'conditionId')).toEqual(
      known.map((market) => market.conditionId).toSorted(),
    )
  })

  test('cuts pages of markets and events to 100 without a word, and refuses offsets', async () => {
    const large = await serveWorld({ world: createWorld({ seed: 5, scale: 0.4 }), clock: () => world.now })
    for (const name of ['markets', 'events'] as const) {
      const { body } = await ask(`${large.hosts.polymarket_gamma}/${name}/keyset?limit=500&closed=true`)
      const all = await walkKeyset(`${large.hosts.polymarket_gamma}/${name}/keyset?limit=500&closed=true`, name)
      expect(Math.min(100, all.rows.length)).toBe((body as Record<string, unknown[]>)[name]?.length)
    }
    await large.close()
    expect((await ask(`${served.hosts.polymarket_gamma}/markets/keyset?offset=10`)).status).toBe(422)
    expect((await ask(`${served.hosts.polymarket_gamma}/events/keyset?after_cursor=nonsense`)).status).toBe(422)
    expect((await ask(`${served.hosts.polymarket_gamma}/markets/keyset?id=${'1,'.repeat(5000)}`)).status).toBe(414)
  })

  test('gives each event once, with its markets', async () => {
    const open = await walkKeyset(`${served.hosts.polymarket_gamma}/events/keyset?limit=3`, 'events')
    const closed = await walkKeyset(`${served.hosts.polymarket_gamma}/events/keyset?limit=3&closed=true`, 'events')
    const markets = [...open.rows, ...closed.rows].flatMap((event) => event['markets'] as WireRow[])
    expect(idsOf(markets, 'conditionId')).toEqual(known.map((market) => market.conditionId).toSorted())
  })

  test('filters by condition, token and id', async () => {
    const open = known.filter((market) => market.closedAt_s > now_s)
    const [one, two] = open
    const url = `${served.hosts.polymarket_gamma}/markets/keyset?`
    const find = async (query: string) => idsOf((await walkKeyset(`${url}${query}`, 'markets')).rows, 'id')
    expect(await find(`condition_ids=${one?.conditionId}&condition_ids=${two?.conditionId}`)).toEqual(
      idsOf([{ id: one?.id }, { id: two?.id }], 'id'),
    )
    expect(await find(`clob_token_ids=${one?.tokenIds[1]}`)).toEqual([one?.id])
    expect(await find(`id=${two?.id}`)).toEqual([two?.id])
    expect((await ask(`${served.hosts.polymarket_gamma}/markets/${one?.id}`)).body).toMatchObject({
      conditionId: one?.conditionId,
    })
  })

  test('has lists in strings and numbers in texts, and omits missing fields', async () => {
    const open = (await walkKeyset(`${served.hosts.polymarket_gamma}/markets/keyset?limit=100`, 'markets')).rows
    for (const row of open) {
      expect([listIn(row['outcomes']).length, tokensIn(row).length]).toEqual([2, 2])
      if (row['volume'] !== undefined) expect(typeof row['volume']).toBe('string')
      if (row['outcomePrices'] === undefined) continue
      const [first, second] = listIn(row['outcomePrices']).map(Number)
      expect((first ?? 0) + (second ?? 0)).toBeCloseTo(1, 9)
    }
    expect(open.some((row) => row['outcomePrices'] === undefined)).toBe(true)
    expect(open.some((row) => row['volume24hr'] === undefined)).toBe(true)
    expect(open.some((row) => row['acceptingOrders'] === false)).toBe(true)
    const market = known.find(
      (one) => one.closedAt_s > now_s && JSON.stringify(open).includes(one.conditionId) && dayVolume(one.index) > 0,
    )
    const row = open.find((one) => one['conditionId'] === market?.conditionId)
    expect(row?.['volume24hr']).toBeCloseTo(dayVolume(market?.index ?? -1), 6)
  })

  test('shows a payout only once it is reported; legacy rows never', async () => {
    const closed = (
      await walkKeyset(`${served.hosts.polymarket_gamma}/markets/keyset?closed=true&limit=100`, 'markets')
    ).rows
    for (const market of known.filter((one) => one.closedAt_s <= now_s)) {
      const row = closed.find((one) => one['conditionId'] === market.conditionId)
      const prices = listIn(row?.['outcomePrices']).map(Number)
      const isPaid = market.kind !== 'legacy' && market.resolvedAt_s <= now_s
      if (isPaid) expect(prices).toEqual(market.payouts?.map((payout) => payout / 1e6))
      else expect(market.payouts?.map((payout) => payout / 1e6)).not.toEqual(prices)
      expect(row?.[market.version === 'v2' ? 'resolutionStatus' : 'umaResolutionStatus'] === 'resolved').toBe(isPaid)
      expect(row?.['closedTime']).toMatch(spacedTime)
      const event = world.events[market.event]
      const start =
        event?.startsBy === null || event?.startsBy === undefined ? undefined : String(row?.[event.startsBy])
      if (event?.startsBy === 'gameStartTime') expect(start).toMatch(spacedTime)
      if (start !== undefined)
        expect(Date.parse(start.replace(' ', 'T').replace(/\+00$/, 'Z'))).toBe((event?.startsAt_s ?? 0) * 1000)
    }
    expect(closed.map((row) => row['outcomePrices'])).toContain('["0", "0"]')
  })
})

describe('clob', () => {
  test('lists every market with its winner once that is known', async () => {
    const { body } = await ask(`${served.hosts.polymarket_clob}/markets`)
    const { data, next_cursor, count } = body as { data: WireRow[]; next_cursor: string; count: number }
    expect([next_cursor, count, idsOf(data, 'condition_id')]).toEqual([
      'LTE=',
      known.length,
      known.map((one) => one.conditionId).toSorted(),
    ])
    for (const market of known) {
      const one = (await ask(`${served.hosts.polymarket_clob}/markets/${market.conditionId}`)).body as WireRow
      const isPaid = market.kind !== 'legacy' && market.resolvedAt_s <= now_s
      const winners = (one['tokens'] as WireRow[]).map((token) => token['winner'])
      expect(winners).toEqual([isPaid && market.result === 'first', isPaid && market.result === 'second'])
      expect(one['is_50_50_outcome']).toBe(isPaid && (market.result === 'fifty_fifty' || market.result === 'void'))
    }
  })
})
