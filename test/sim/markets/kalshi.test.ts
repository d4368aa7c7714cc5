import { existsSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { cutoffAt } from '#sim/markets/kalshi_wire/hosts.ts'
import { tradesOf } from '#sim/markets/kalshi_wire/trades.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { recordedRows } from '#test/recordings/kalshi/rows.ts'
import { recordingsDir } from '#test/recordings/routes.ts'

import { ask, type WireRow } from './all_pages.ts'

const world = createWorld({ seed: 5, scale: 0.05 })
const at_s = world.now / 1e6
const cutoff_s = cutoffAt(at_s)

describe.each(['v2', 'v1'] as const)('the simulated Kalshi beside a data API of %s', (dataApi) => {
  let served: ServedWorld
  beforeAll(async () => {
    served = await serveWorld({ world, others: { kalshi: world }, clock: () => world.now, dataApi })
  })
  afterAll(() => served.close())
  const of = (path: string) => ask(`${served.hosts['kalshi']}${path}`)
  const body = async (path: string) =>
    (await of(path)).body as { cursor: string; markets: WireRow[]; trades: WireRow[] }

  test('pages with a cursor, which is empty at the end', async () => {
    const ids: unknown[] = []
    let cursor = ''
    do {
      const page = await body(`/markets/trades?limit=700&min_ts=${at_s - 5 * 86_400}&cursor=${cursor}`)
      ids.push(...page.trades.map((row) => row['trade_id']))
      cursor = page.cursor
    } while (cursor !== '')
    const known = tradesOf(world).filter(({ at }) => at >= world.now - 5 * 86_400e6 && at < world.now)
    expect(ids).toEqual(known.map(({ id }) => id).toReversed())
  })

  test('rejects large pages, states of rows as filters, and foreign cursors', async () => {
    for (const path of ['/markets?limit=1001', '/markets/trades?limit=1001', '/markets?status=finalized'])
      expect((await of(path)).status).toBe(400)
    expect((await of('/markets?status=finalized')).body).toEqual({
      error: { code: 'bad_request', message: 'bad request', details: 'invalid status filter' },
    })
    expect((await of(`/markets?cursor=${Buffer.from('trades:1').toString('base64url')}`)).status).toBe(400)
    expect((await of('/nowhere')).status).toBe(404)
  })

  test('has markets that settled before the cutoff in the archive alone, and so their trades', async () => {
    const live = (await body('/markets?status=settled&mve_filter=exclude&limit=1000')).markets
    const archive = (await body('/historical/markets?limit=1000')).markets
    const settledBefore = (rows: WireRow[]) =>
      rows.map((row) => Date.parse(String(row['settlement_ts'])) / 1000 < cutoff_s)
    expect(new Set(settledBefore(live))).toEqual(new Set([false]))
    expect(new Set(settledBefore(archive))).toEqual(new Set([true]))
    const window = `min_ts=${cutoff_s - 86_400 * 5}&max_ts=${cutoff_s + 86_400 * 5}&limit=1000`
    const after = (rows: WireRow[]) =>
      new Set(rows.map((row) => Date.parse(String(row['created_time'])) >= cutoff_s * 1000))
    expect(after((await body(`/markets/trades?${window}`)).trades)).toEqual(new Set([true]))
    expect(after((await body(`/historical/trades?${window}`)).trades)).toEqual(new Set([false]))
  })

  test('has an empty book from the close on, and rewrites the close', async () => {
    const settled = (await body('/markets?status=settled&limit=1000')).markets
    expect(settled.length).toBeGreaterThan(3)
    for (const row of settled) {
      expect([row['yes_bid_dollars'], row['yes_ask_dollars']]).toEqual(['0.0000', '1.0000'])
      expect(Date.parse(String(row['close_time']))).toBeLessThan(world.now / 1000)
    }
    const open = (await body('/markets?status=open&mve_filter=exclude&limit=1000')).markets
    for (const row of open) expect(Date.parse(String(row['close_time']))).toBeGreaterThan(world.now / 1000)
    expect(new Set([...open, ...settled].map((row) => row['status']))).toEqual(new Set(['active', 'finalized']))
  })

  test('has several trades of one microsecond, block trades, fractions and fine ticks', async () => {
    const trades = tradesOf(world)
    const instants = new Map<number, number>()
    for (const { at } of trades) instants.set(at, (instants.get(at) ?? 0) + 1)
    expect(Math.max(...instants.values())).toBeGreaterThan(1)
    expect(trades.some(({ isBlock }) => isBlock)).toBe(true)
    expect(trades.some(({ count }) => count % 100 !== 0)).toBe(true)
    expect(trades.some(({ yes }) => yes % 100 !== 0)).toBe(true)
    const rows = (await body('/markets/trades?limit=1000')).trades
    expect(rows.every((row) => 'taker_side' in row)).toBe(dataApi === 'v1')
    expect(rows.every((row) => 'taker_outcome_side' in row)).toBe(dataApi === 'v2')
    expect(rows.some((row) => row['is_block_trade'] === true)).toBe(true)
  })

  test('keeps its limit with a 429 without Retry-After', async () => {
    const polite = await serveWorld({
      world,
      others: { kalshi: world },
      clock: () => world.now,
      limits: 'polite',
      machine: () => 0,
    })
    const url = `${polite.hosts['kalshi']}/historical/cutoff`
    for (let n = 0; n < 200; n += 1) expect((await fetch(url)).status).toBe(200)
    const refused = await fetch(url)
    expect([refused.status, await refused.json(), refused.headers.get('retry-after')]).toEqual([
      429,
      { error: 'too many requests' },
      null,
    ])
    await polite.close()
  })
})

/** Fields that some recordings have, and the simulation does not make up. */
const typesOf = (rows: WireRow[]): Map<string, Set<string>> => {
  const types = new Map<string, Set<string>>()
  for (const [key, value] of rows.flatMap((row) => Object.entries(row)))
    types.set(key, (types.get(key) ?? new Set()).add(Array.isArray(value) ? 'list' : typeof value))
  return types
}

describe.runIf(existsSync(recordingsDir))('beside the recordings', () => {
  test.each([
    ['v2', 'dollars', 'market', '/markets?status=open&mve_filter=exclude', 'markets'],
    ['v1', 'cents', 'market', '/markets?status=open&mve_filter=exclude', 'markets'],
    ['v2', 'dollars', 'trade', '/markets/trades', 'trades'],
    ['v1', 'cents', 'trade', '/markets/trades', 'trades'],
  ] as const)(
    'of %s, rows have only fields of the wire in %s, of the same types',
    async (dataApi, generation, kind, path, field) => {
      const served = await serveWorld({ world, others: { kalshi: world }, clock: () => world.now, dataApi })
      const answer = (await ask(`${served.hosts['kalshi']}${path}`)).body as Record<string, WireRow[]>
      await served.close()
      // Fractions came to the older wire later, and the newer sides of takers after the last recording.
      const later = [
        'count_fp',
        'is_block_trade',
        'taker_outcome_side',
        'taker_book_side',
        'exchange_index',
        'strike_type',
      ]
      const fractions = ['volume_fp', 'volume_24h_fp', 'open_interest_fp', 'occurrence_datetime']
      const recorded = typesOf(recordedRows(kind, [generation]))
      for (const [name, types] of typesOf(answer[field] ?? [])) {
        if (!recorded.has(name) && [...later, ...fractions].includes(name)) continue
        expect({ name, types }).toEqual({ name, types: recorded.get(name) })
      }
    },
  )
})
