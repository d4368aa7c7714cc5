import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { polymarketTrades } from '#sources/markets/polymarket/polymarket_trades.ts'

import { fakeGet, readWith, temporaryLake, type Upstream } from './fake.ts'
import { condition, hex, inV1, token, tradeBody, v2Page, wallet } from './wire.ts'

const at = Date.UTC(2026, 10, 20) * 1000
const created = Date.UTC(2026, 8, 1) * 1000
const unit: Unit = {
  source: 'polymarket_trades',
  kind: 'history',
  part: 'polymarket',
  key: condition(1),
  from: created,
  to: null,
  params: [],
}

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const read = (upstream: Upstream, more: { until?: number; unit?: Partial<Unit> } = {}) => {
  const { get, asked } = fakeGet(upstream)
  const reading = readWith(polymarketTrades, { ...unit, ...more.unit }, { lake, get, at, until: more.until ?? at })
  return reading.then((result) => ({ ...result, fills: result.rows.fills ?? [], asked }))
}

type Rows = Record<string, unknown>[]

const v2 =
  (all: Rows, takers: Rows, size = 1000): Upstream =>
  (path, query) =>
    path === '/v2/trades'
      ? { body: v2Page(query.get('taker_only') === 'true' ? takers : all, query, size) }
      : { status: 404 }

const v1 =
  (all: Rows, takers: Rows): Upstream =>
  (path, query) => {
    if (path !== '/trades') return { status: 404, error: '{"error":"no such route"}' }
    const rows = query.get('takerOnly') === 'true' ? takers : all
    const offset = Number(query.get('offset'))
    // A server that clamps the limit without a word.
    return { body: rows.slice(offset, offset + Math.min(Number(query.get('limit')), 500)).map(inV1) }
  }

describe('a market by v2', () => {
  const taker = tradeBody({ proxy_wallet: wallet(1).toUpperCase().replace('0X', '0x'), size: 22.84, price: 0.52 })
  const maker = tradeBody({ proxy_wallet: wallet(2), side: 'SELL', size: 22.84, price: 0.52 })

  test('becomes fills with exact numbers, a role and the cash of the full price', async () => {
    const odd = { ...maker, size: 217.391303, price: 0.5400000010000001, transaction_hash: hex(2) }
    const { fills, state, proof } = await read(v2([taker, maker, odd], [taker]))
    expect(fills).toEqual([
      {
        venue: 'polymarket',
        token_id: token(1),
        ts: 1_790_000_000_000_000,
        tx: hex(1),
        trader: wallet(1),
        side: 'buy',
        price: 520_000n,
        size: 22_840_000n,
        seq: 0,
        market_id: `polymarket:${condition(1)}`,
        role: 'taker',
        cash_usd: 11_876_800n,
        fee_usd: null,
      },
      expect.objectContaining({ trader: wallet(2), side: 'sell', role: 'maker' }),
      expect.objectContaining({ tx: hex(2), price: 540_000n, cash_usd: 117_391_304n }),
    ])
    expect(state).toBe('complete')
    expect(proof).toBe('v2, cursors followed to their end: 3 fills, 1 of takers')
  })

  test('is read to the end of its cursors, each page with the same filters', async () => {
    const rows = Array.from({ length: 7 }, (_, n) => tradeBody({ transaction_hash: hex(n + 1) }))
    const { fills, asked } = await read(v2(rows, rows.slice(0, 3), 3))
    expect(fills).toHaveLength(7)
    expect(fills.filter(({ role }) => role === 'taker')).toHaveLength(3)
    const filters = `condition=${condition(1)}`
    const rest = 'filter_amount=0.000001&filter_type=TOKENS&limit=1000&taker_only='
    expect(asked).toEqual([
      `/v2/trades?${filters}&${rest}false`,
      `/v2/trades?${filters}&cursor=3&${rest}false`,
      `/v2/trades?${filters}&cursor=6&${rest}false`,
      `/v2/trades?${filters}&${rest}true`,
    ])
  })

  test('leaves rows at or after `until` for the next read', async () => {
    const { fills } = await read(v2([{ ...taker, timestamp: 1_790_000_001 }, taker], [taker]), {
      until: 1_790_000_001_000_000,
    })
    expect(fills.map(({ ts }) => ts)).toEqual([1_790_000_000_000_000])
  })

  test('keeps equal rows, numbered, with the roles that the takers’ listing gives', async () => {
    const { fills } = await read(v2([maker, maker, maker], [maker]))
    expect(fills.map(({ seq, role }) => [seq, role])).toEqual([
      [0, 'maker'],
      [1, 'maker'],
      [2, 'taker'],
    ])
  })

  test('that contradicts itself is unverified, and loses nothing', async () => {
    const { fills, state, reason } = await read(v2([maker], [taker]))
    expect([fills.length, state, reason]).toEqual([2, 'unverified', '1 takers are missing from the listing of all'])
  })

  test('older than the three years that v2 shows is unverified', async () => {
    const { state, reason } = await read(v2([maker], []), { unit: { from: Date.UTC(2023, 5, 1) * 1000 } })
    expect([state, reason]).toEqual(['unverified', 'v2 shows three years, and the market may be older'])
  })

  test('a cursor that comes back is an error, not an endless run', async () => {
    const circle: Upstream = () => ({ body: { data: [], pagination: { has_more: true, next_cursor: 'again' } } })
    await expect(read(circle)).rejects.toThrow('cursor again: repeated')
  })

  test.each([
    ['a renamed cursor', { has_more: true, nextCursor: 'a' }, 'next_cursor: expected a cursor exactly if has_more'],
    ['no more rows and a cursor', { has_more: false, next_cursor: 'a' }, 'next_cursor: expected a cursor exactly if'],
    ['no statement of the end', { next_cursor: null }, 'has_more:'],
    ['no pagination', undefined, 'pagination:'],
  ])('a page with %s is an error, not the end of the list', async (_, pagination, problem) => {
    await expect(read(() => ({ body: { data: [maker], pagination } }))).rejects.toThrow(problem)
  })

  test.each([
    ['a price above 1', { price: 1.5 }, 'price: expected a price from 0 to 1, got 1.5'],
    ['a negative size', { size: -1 }, 'size: expected a number from 0 to less than 10^12, got -1'],
    ['10^12 shares', { size: 1e12 }, 'size: expected a number from 0 to less than 10^12, got 1000000000000'],
    ['milliseconds', { timestamp: 1_790_000_000_000 }, 'timestamp:'],
    ['no side', { side: '' }, 'side:'],
    ['no token', { token_id: '' }, 'token_id: expected a token id'],
    ['another market', { condition_id: condition(2) }, `condition_id: expected a trade of ${condition(1)}`],
  ])('%s is refused with its reason and stops nothing', async (_, wrong, reason) => {
    const bad = { ...maker, ...wrong }
    const { fills, rejected } = await read(v2([bad, taker], [taker]))
    expect(fills).toHaveLength(1)
    expect(rejected).toEqual([
      { dataset: 'fills', path: '/v2/trades', reason: expect.stringContaining(reason), body: bad },
    ])
  })

  test('an error other than 404 is an error', async () => {
    await expect(read(() => ({ status: 400 }))).rejects.toThrow('answered 400')
  })
})

describe('a market by v1, where v2 is absent', () => {
  const rows = (n: number): Rows =>
    Array.from({ length: n }, (_, i) => tradeBody({ transaction_hash: hex(i + 1), timestamp: 1_790_000_000 - i }))

  test('is read to an empty page, whatever the server makes of the limit', async () => {
    const { fills, state, proof } = await read(v1(rows(1200), rows(700)))
    expect([fills.length, state]).toEqual([1200, 'complete'])
    expect(proof).toMatch(/^v1, offsets followed to an empty page.*: 1200 fills, 700 of takers$/)
  })

  test('beyond offset 10,000 is unverified, and whole from a second after its oldest row on', async () => {
    // Of takers 10,500 reach further back than of all: those are matched.
    const all = rows(21_000)
    const takers = all.filter((_, n) => n % 2 === 0)
    const { fills, state, reason, from } = await read(v1(all, takers))
    expect([fills.length, state]).toEqual([10_499, 'unverified'])
    expect(from).toBe((1_790_000_000 - 10_498) * 1_000_000)
    expect(Math.min(...fills.map(({ ts }) => ts))).toBe(from)
    expect(fills.filter(({ role }) => role === 'taker')).toHaveLength(5_250)
    expect(reason).toBe('v1 shows no more than its first 10500 rows: offsets end at 10000')
  })

  test('is read again if a row was added during paging', async () => {
    let asked = 0
    const base = rows(800)
    const growing: Upstream = (path, query) => {
      if (path === '/trades' && query.get('takerOnly') === 'false') asked += 1
      const added = asked > 1 ? [tradeBody({ transaction_hash: hex(9999), timestamp: 1_790_000_001 })] : []
      return v1([...added, ...base], [])(path, query)
    }
    const { fills, state } = await read(growing)
    expect([fills.length, state]).toEqual([801, 'complete'])
  })

  test('that grows faster than it is read is unverified', async () => {
    let asked = 0
    const { state, reason } = await read((path, query) => {
      if (path === '/trades' && query.get('offset') === '0') asked += 1
      const added = Array.from({ length: asked }, (_, i) => tradeBody({ transaction_hash: hex(5000 + i) })).toReversed()
      return v1([...added, ...rows(10)], [])(path, query)
    })
    expect([state, reason]).toEqual(['unverified', 'rows were added while it was paged, 3 times'])
  })

  test('whose takers are not listed has fills without a role', async () => {
    const { fills, state, reason } = await read((path, query) =>
      query.get('takerOnly') === 'true' ? { status: 404 } : v1(rows(2), [])(path, query),
    )
    expect([fills.map(({ role }) => role), state]).toEqual([[null, null], 'unverified'])
    expect(reason).toContain('roles are unknown')
  })

  test('that neither version has is unavailable', async () => {
    const { state, reason } = await read(() => ({ status: 404 }))
    expect([state, reason]).toEqual(['unavailable', 'polymarket_data /trades answered 404 (1 attempt)'])
  })
})
