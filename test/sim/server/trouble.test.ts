import { afterEach, describe, expect, test } from 'vitest'

import { fastClock, steppedClock } from '#sim/clock.ts'
import { createWorld } from '#sim/markets/world.ts'
import { faultKinds, type FaultKind } from '#sim/server/faults.ts'
import { serveWorld, type ServedWorld, type ServeOptions } from '#sim/server/server.ts'
import { ask, walkFeed, walkKeyset, type WireRow } from '#test/sim/markets/all_pages.ts'

const world = createWorld({ seed: 9, scale: 0.02 })
const open: ServedWorld[] = []

async function serve(options: Partial<ServeOptions>): Promise<ServedWorld> {
  const served = await serveWorld({ world, clock: () => world.now, ...options })
  open.push(served)
  return served
}
afterEach(async () => {
  for (const served of open.splice(0)) await served.close()
})

describe('time', () => {
  test('nothing is served before it happens', async () => {
    const clock = steppedClock(world.opensAt)
    const served = await serve({ clock: clock.now })
    const count = async () =>
      (await walkFeed(`${served.hosts.polymarket_data}/v2/trades?limit=1000&taker_only=false`)).rows.length
    expect(await count()).toBe(0)
    clock.set(world.opensAt + 20 * 86_400e6)
    const early = await count()
    clock.advance(5 * 86_400e6)
    expect([early > 0, (await count()) > early]).toEqual([true, true])
  })

  test('with a lag rows come late, and the status says so', async () => {
    const clock = steppedClock(world.now)
    const served = await serve({ clock: clock.now, lag_s: 3600 })
    const newest = async () =>
      ((await ask(`${served.hosts.polymarket_data}/v2/trades?limit=1`)).body as { data: WireRow[] }).data[0]?.[
        'timestamp'
      ]
    const before = await newest()
    expect(Number(before)).toBeLessThanOrEqual(world.now / 1e6 - 3600)
    clock.advance(3600e6)
    expect(Number(await newest())).toBeGreaterThanOrEqual(Number(before))
    expect((await ask(`${served.hosts.polymarket_data}/v2/status`)).body).toMatchObject({
      data: { serving: { lag_seconds: 3600 } },
    })
  })

  test('a fast clock runs from its start', () => {
    const machine = steppedClock(1_000_000_000)
    const clock = fastClock({ start: world.now, speed: 60, machine: machine.now })
    expect(clock()).toBe(world.now)
    machine.advance(2_000_000)
    expect(clock()).toBe(world.now + 120_000_000)
  })
})

describe('faults', () => {
  test.each(faultKinds)('%s', async (kind) => {
    const served = await serve({ faults: { requests: 1, kinds: [kind] } })
    expect(await meet(served)).toBe(expected[kind])
  })

  test('strike the given share, the same for the same seed, and let a repeated request through in time', async () => {
    const faults = { seed: 4, requests: 0.3, kinds: ['server_error', 'unavailable', 'bad_gateway'] as const }
    const walk = async () => {
      const served = await serve({ faults })
      const statuses: number[] = []
      for (let limit = 1; limit <= 200; limit++)
        statuses.push((await fetch(`${served.hosts.polymarket_data}/v2/trades?limit=${limit}`)).status)
      return statuses
    }
    const statuses = await walk()
    const share = statuses.filter((status) => status !== 200).length / statuses.length
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(0.4)
    expect(await walk()).toEqual(statuses)
    const served = await serve({ faults })
    const again: number[] = []
    for (let i = 0; i < 12; i++) again.push((await fetch(`${served.hosts.polymarket_data}/v2/trades?limit=3`)).status)
    expect(again).toContain(200)
  })

  test('spoil the same share of rows in every walk, a fill in both of its feeds', async () => {
    const served = await serve({ faults: { seed: 2, rows: 0.05 } })
    const whole = await serve({})
    const wallet = world.traders.find((trader) => trader.archetype === 'market_maker')?.wallet
    const url = (of: ServedWorld, feed: string) =>
      `${of.hosts.polymarket_data}/v2/${feed}?user=${wallet}&start=1&limit=1000&taker_only=false`
    const trades = (await walkFeed(url(served, 'trades'))).rows
    const good = (await walkFeed(url(whole, 'trades'))).rows
    const spoiled = trades.filter((row, i) => JSON.stringify(row) !== JSON.stringify(good[i]))
    expect(trades.length).toBe(good.length)
    expect(spoiled.length).toBe(served.requests().spoiled.trades)
    expect(spoiled.length / trades.length).toBeGreaterThan(0.02)
    expect(spoiled.length / trades.length).toBeLessThan(0.09)
    await walkFeed(`${url(served, 'activity')}&type=TRADE`)
    expect(served.requests().spoiled.activity).toBe(spoiled.length)
    const markets = (await walkKeyset(`${served.hosts.polymarket_gamma}/markets/keyset?closed=true`, 'markets')).rows
    const broken = markets.filter(
      (row) => row['conditionId'] === undefined || row['outcomes'] === 'Yes or No' || row['clobTokenIds'] === '[]',
    )
    expect([broken.length, broken.length > 0]).toEqual([served.requests().spoiled.markets, true])
  })
})

describe('limits', () => {
  test('are kept when polite: a full window answers 429 until it has slid on, half of the time with Retry-After', async () => {
    const machine = steppedClock(50_000_000)
    const served = await serve({ limits: 'polite', machine: machine.now })
    const get = () => fetch(`${served.hosts.polymarket_data}/v2/trades?limit=1`)
    for (let i = 0; i < 300; i++) expect((await get()).status).toBe(200)
    const refused = [await get(), await get()]
    expect(refused.map((response) => response.status)).toEqual([429, 429])
    expect(refused.map((response) => response.headers.get('retry-after'))).toEqual(['10', null])
    expect((await fetch(`${served.hosts.polymarket_gamma}/markets/keyset?limit=1`)).status).toBe(200)
    machine.advance(10_000_001)
    expect((await get()).status).toBe(200)
  })

  test('are lifted by default', async () => {
    const served = await serve({})
    const statuses = await Promise.all(
      Array.from(
        { length: 250 },
        async () => (await fetch(`${served.hosts.polymarket_data}/v2/trades?limit=1`)).status,
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})

const expected: Record<FaultKind, string> = {
  rate_limited: '429',
  server_error: '500',
  bad_gateway: '502 <html>',
  unavailable: '503',
  truncated: 'bad json',
  reset: 'no answer',
  slow: '200',
}

/** The outcome of one request for a client. */
async function meet(served: ServedWorld): Promise<string> {
  try {
    const response = await fetch(`${served.hosts.polymarket_data}/v2/trades?limit=5`)
    const text = await response.text()
    if (response.status !== 200) return text.startsWith('<html>') ? `${response.status} <html>` : `${response.status}`
    return JSON.parse(text) === null ? 'null' : '200'
  } catch (error) {
    return error instanceof SyntaxError ? 'bad json' : 'no answer'
  }
}
