import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { createHttp } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { limitlessHost } from '#sources/markets/limitless/hosts.ts'
import { limitlessTrades } from '#sources/markets/limitless/limitless_trades.ts'
import { fakeGet, readWith, temporaryLake, type Upstream } from '#test/sources/markets/polymarket/fake.ts'

import { eventBody, hex, marketBody, slug, token, tradeBody, venue, wallet } from './wire.ts'

const at = Date.UTC(2026, 10, 20, 12) * 1000
const unit: Unit = {
  source: 'limitless_trades',
  kind: 'history',
  part: 'limitless',
  key: slug(1),
  from: 0,
  to: null,
  params: [],
}

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const read = async (upstream: Upstream, until = at) => {
  const { get, asked } = fakeGet(upstream)
  const reading = await readWith(limitlessTrades, unit, { lake, get, at, until })
  return { ...reading, asked, fills: reading.rows.fills ?? [] }
}
const of = (events: Record<string, unknown>[], more: Record<string, unknown> = {}) =>
  venue({ active: [marketBody(1, more)], events: { [slug(1)]: events } })

describe('the fills of a market', () => {
  test('are the takers’ sides, with raw sizes', async () => {
    const { fills, state } = await read(
      of([eventBody(), eventBody({ side: 1, tokenId: token(3), matchedSize: '1234567' })]),
    )
    const taken = { venue: 'limitless', tx: hex(1), trader: wallet(1), seq: 0, role: 'taker', fee_usd: null }
    const ts = Date.UTC(2026, 10, 19, 10) * 1000
    const market_id = `limitless:${slug(1)}`
    expect(fills).toEqual([
      {
        ...taken,
        ts,
        market_id,
        token_id: `${slug(1)}:0`,
        side: 'buy',
        price: 530_000n,
        size: 10_000_000n,
        cash_usd: 5_300_000n,
      },
      {
        ...taken,
        ts,
        market_id,
        token_id: `${slug(1)}:1`,
        side: 'sell',
        price: 530_000n,
        size: 1_234_567n,
        cash_usd: 654_321n,
      },
    ])
    expect(state).toBe('complete')
  })

  test('name the smart wallet, and without one the account, in lower case', async () => {
    const profile = { account: wallet(1), smartWallet: wallet(0xb).toUpperCase().replace('0X', '0x') }
    const { fills } = await read(of([eventBody({ profile }), eventBody()]))
    expect(fills.map(({ trader }) => trader)).toEqual([wallet(0xb), wallet(1)])
  })

  test('are read page by page, with the first page unchanged at the end; equal rows are numbered', async () => {
    const events = Array.from({ length: 201 }, (_, n) => eventBody({ txHash: hex(1 + (n >> 1)) }))
    const { asked, fills, state, proof } = await read(of(events))
    const page = (n: number, limit = 100) => `/markets/${slug(1)}/events?limit=${limit}&page=${n}`
    // The first page ends with equal rows, so that a shorter one has to end otherwise.
    expect(asked).toEqual([`/markets/${slug(1)}`, page(1), page(2), page(3), page(1), page(1, 99)])
    expect([fills.length, fills.filter(({ seq }) => seq === 1).length, state]).toEqual([201, 100, 'complete'])
    expect(proof).toBe('3 pages, the first one unchanged at the end: 201 fills of takers')
  })

  test('that arrive during paging are read in another round', async () => {
    const older = Array.from({ length: 101 }, (_, n) => eventBody({ txHash: hex(n + 2) }))
    let n_asked = 0
    const growing: Upstream = (path, query) => {
      n_asked += 1
      return of(n_asked < 4 ? older : [eventBody({ txHash: hex(1) }), ...older])(path, query)
    }
    const { fills, asked, state } = await read(growing)
    expect([fills.length, asked.length, state]).toEqual([102, 7, 'complete'])
  })

  test('may be listed as data, and without a number of pages', async () => {
    const rows = Array.from({ length: 100 }, (_, n) => eventBody({ txHash: hex(n + 1) }))
    const unnumbered: Upstream = (path, query) =>
      path.endsWith('/events') ? { body: { data: query.get('page') === '1' ? rows : [] } } : { body: marketBody(1) }
    expect((await read(unnumbered)).fills).toHaveLength(100)
  })

  test.each([
    [{ tokenId: '5' }, `tokenId: expected a token of ${slug(1)}`],
    [{ price: 153 }, 'price: expected a price from 0 to 1, or from 0 to 100'],
    [{ matchedSize: `${10n ** 18n}` }, 'matchedSize: expected a number from 0 to less than 10^12'],
    [{ matchedSize: 'ten' }, 'matchedSize: expected the text of a whole number'],
    [{ profile: {} }, 'profile: expected an account or a smart wallet'],
    [{ side: 2 }, 'side: expected 0 (buy) or 1 (sell)'],
  ])('with %j are rejected, and the others stay', async (more, reason) => {
    const { fills, rejected } = await read(of([eventBody(more), eventBody()]))
    expect([fills.length, rejected.map((row) => row.reason)]).toEqual([1, [reason]])
  })

  test('from the end of the reading on are left for the next one', async () => {
    expect((await read(of([eventBody()]), Date.UTC(2026, 10, 19, 10) * 1000)).fills).toEqual([])
  })

  test('may be none; an unknown market has none', async () => {
    expect(await read(of([], { volume: '0' }))).toMatchObject({ fills: [], state: 'complete' })
    const reason = 'no fills, although the market has a volume'
    expect(await read(of([]))).toMatchObject({ fills: [], state: 'unverified', reason })
    expect(await read(venue({}))).toMatchObject({ fills: [], state: 'unavailable' })
  })

  test('are read after a 429, when the venue asks for it', async () => {
    const answers = [
      new Response('{}', { status: 429, headers: { 'retry-after': '7' } }),
      Response.json(marketBody(1, { volume: '0' })),
      Response.json({ events: [], totalPages: 0 }),
    ]
    const agents: (string | null)[] = []
    const slept: number[] = []
    let now_ms = 0
    const get = createHttp({
      hosts: { limitless: limitlessHost },
      now_ms: () => now_ms,
      sleep: async (ms) => {
        slept.push(ms)
        now_ms += ms
      },
      random: () => 0,
      fetch: async (_, init) => {
        agents.push(new Headers(init?.headers).get('user-agent'))
        return answers.shift() ?? new Response('', { status: 500 })
      },
    })
    expect(await readWith(limitlessTrades, unit, { lake, get, at })).toMatchObject({ state: 'complete' })
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(7_000)
    // A default user agent would get a 403.
    expect(agents).toHaveLength(3)
    for (const agent of agents) expect(agent).toMatch(/^tapeline\//)
  })
})

describe('the trades with the automated maker', () => {
  const made = { tradeType: 'amm', tokens: null }
  const pullFeed = (feed: Record<string, unknown>[], more: Record<string, unknown> = {}) =>
    read(venue({ active: [marketBody(1, { ...made, ...more })], feeds: { [slug(1)]: feed } }))

  test('are fills of takers, at the collateral of a share; other events are none', async () => {
    const sale = tradeBody({ id: 8 }, { outcome: 'NO', strategy: 'Sell', contracts: '3', tradeAmount: '1' })
    const funded = { eventType: 'FUNDED_MARKET', createdAt: '2026-11-01T00:00:00.000Z', data: {} }
    const { fills, state, rejected, asked } = await pullFeed([tradeBody(), sale, funded])
    const taken = { venue: 'limitless', tx: hex(1), trader: wallet(1), seq: 0, role: 'taker', fee_usd: null }
    const ts = Date.UTC(2026, 10, 19, 10) * 1000
    const market_id = `limitless:${slug(1)}`
    const buy = { side: 'buy', price: 400_000n, size: 12_500_000n, cash_usd: 5_000_000n }
    const sell = { side: 'sell', price: 333_333n, size: 3_000_000n, cash_usd: 1_000_000n }
    expect(fills).toEqual([
      { ...taken, ts, market_id, token_id: `${slug(1)}:0`, ...buy },
      { ...taken, ts, market_id, token_id: `${slug(1)}:1`, ...sell },
    ])
    expect([state, rejected]).toEqual(['complete', []])
    const page = (n: number, limit = 100) => `/markets/${slug(1)}/get-feed-events?limit=${limit}&page=${n}`
    // The list has no number of pages, so an empty page is its end. Its short page is requested with its number of
    // rows.
    expect(asked).toEqual([`/markets/${slug(1)}`, page(1), page(2), page(1), page(1, 3)])
  })

  test('name the trader and the time in two ways, and a smart wallet before its owner', async () => {
    const other = { createdAt: undefined, timestamp: '2026-11-19T10:00:01Z', user: undefined }
    const profile = { account: wallet(2), smartWallet: wallet(3) }
    const { fills } = await pullFeed([tradeBody(), tradeBody({ ...other, profile })])
    expect(fills.map(({ trader }) => trader)).toEqual([wallet(1), wallet(3)])
  })

  test('have dollars, also where the collateral is none', async () => {
    const weth = { collateralToken: { address: hex(2, 40), decimals: 18, symbol: 'WETH' } }
    expect((await pullFeed([tradeBody()], weth)).fills.map(({ cash_usd }) => cash_usd)).toEqual([5_000_001n])
    const { rejected } = await pullFeed([tradeBody({}, { tradeAmountUSD: null })], weth)
    expect(rejected.map(({ reason }) => reason)).toEqual(['data.tradeAmountUSD: expected dollars'])
  })

  test('are read to the end whatever the size of a page, and are unverified if a page repeats', async () => {
    const feed = Array.from({ length: 35 }, (_, n) => tradeBody({ id: n }, { txHash: hex(n + 1) }))
    expect(await pullFeed(feed)).toMatchObject({ state: 'complete', fills: { length: 35 } })
    const stuck: Upstream = (path) => ({ body: path.endsWith('events') ? [tradeBody()] : marketBody(1, made) })
    expect(await read(stuck)).toMatchObject({ state: 'unverified', reason: 'page 2 repeats the page before it' })
  })

  test.each([
    [{ user: { name: 'none' } }, {}, 'user: expected an account or a smart wallet'],
    [{ createdAt: undefined }, {}, 'createdAt: expected an instant'],
    [{}, { contracts: 'ten' }, 'data.contracts: expected a number from 0 to less than 10^12, got ten'],
    [{}, { contracts: '0' }, 'data.tradeAmount: expected about 0 to 1 of a share'],
    [{}, { tradeAmount: '20' }, 'data.tradeAmount: expected about 0 to 1 of a share'],
    [{}, { outcome: 'MAYBE' }, 'data.outcome: Invalid option: expected one of "YES"|"NO"'],
  ])('with %j %j are rejected, and the others stay', async (more, data, reason) => {
    const { fills, rejected } = await pullFeed([tradeBody(more, data), tradeBody()])
    expect([fills.length, rejected.map((row) => row.reason)]).toEqual([1, [reason]])
  })
})
