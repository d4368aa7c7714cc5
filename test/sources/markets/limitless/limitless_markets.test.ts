import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import { limitlessMarkets } from '#sources/markets/limitless/limitless_markets.ts'
import {
  fakeGet,
  planWith,
  readWith,
  store,
  temporaryLake,
  type Upstream,
} from '#test/sources/markets/polymarket/fake.ts'
import type { Micros } from '#time.ts'

import { groupBody, hex, marketBody, slug, venue } from './wire.ts'

const at = Date.UTC(2026, 10, 20, 12) * 1000
const step = 300_000_000

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const observe = async (instant: Micros, upstream: Upstream) => {
  const [unit] = await planWith(limitlessMarkets, lake, { at: instant })
  if (unit === undefined) throw new Error('an observation is planned')
  const { get, asked } = fakeGet(upstream)
  const reading = await readWith(limitlessMarkets, unit, { lake, get, at: instant })
  await store(lake, unit, reading.rows, { at: instant })
  return { ...reading, asked, unit, markets: reading.rows.markets ?? [] }
}

describe('the active markets', () => {
  test('are read in pages of 25 up to their count', async () => {
    const active = Array.from({ length: 30 }, (_, n) => marketBody(n + 1))
    const { asked, markets, state, proof, unit } = await observe(at + 1, venue({ active }))
    expect(unit).toMatchObject({ kind: 'observation', from: at })
    expect(asked).toEqual([
      '/markets/active?limit=25&page=1',
      '/markets/active?limit=25&page=2',
      '/markets/active/slugs',
    ])
    expect([markets.length, state]).toEqual([30, 'complete'])
    expect(proof).toBe('2 pages: 30 rows with 30 markets; 0 no longer listed')
  })

  const all = Array.from({ length: 10 }, (_, n) => marketBody(n + 1))
  const named = all.map((_, n) => ({ slug: slug(n + 1), ticker: 'BTC', deadline: null }))

  test('of a first list are unverified where the list of slugs has further open ones', async () => {
    const halved = venue({ active: all.slice(0, 5), markets: all, slugs: named })
    const { state, reason, asked, markets } = await observe(at, halved)
    const lost = `5 of 10 markets of \`/markets/active/slugs\` are not listed, and limitless:${slug(10)} is open`
    expect([state, reason, markets.length]).toEqual(['unverified', lost, 5])
    expect(asked.slice(1)).toEqual(['/markets/active/slugs', `/markets/${slug(10)}`])
  })

  test.each([
    ['the list of slugs has the same ones', named.slice(0, 5)],
    ['the others of the list of slugs are not open', [...named.slice(0, 5), { slug: 'gone' }]],
    ['the list of slugs has another form', { slugs: named }],
    ['the venue refuses the list of slugs', undefined],
  ])('of a first list are complete where %s', async (_case, slugs) => {
    const { state } = await observe(at, venue({ active: all.slice(0, 5), markets: all, slugs }))
    expect(state).toBe('complete')
  })

  test('of a later list are not held against the list of slugs', async () => {
    const world = venue({ active: all, slugs: [] })
    await observe(at, world)
    expect((await observe(at + step, world)).asked).toEqual(['/markets/active?limit=25&page=1'])
  })

  test('are described with what the venue states', async () => {
    const { markets } = await observe(at, venue({ active: [marketBody(1, { startAt: '2026-11-21T00:00:00.000Z' })] }))
    expect(markets).toEqual([
      {
        market_id: `limitless:${slug(1)}`,
        seen_at: at,
        venue: 'limitless',
        event_id: `limitless:${slug(1)}`,
        question: 'Will it happen 1?',
        labels: ['Yes', 'No'],
        token_ids: [`${slug(1)}:0`, `${slug(1)}:1`],
        category: 'crypto',
        tags: ['Crypto', 'Hourly', 'Recurring'],
        url: `https://limitless.exchange/markets/${slug(1)}`,
        status: 'open',
        is_open: true,
        created_at: Date.UTC(2026, 10, 1, 3, 4, 5, 678) * 1000,
        starts_at: Date.UTC(2026, 10, 21) * 1000,
        starts_by: 'startAt',
        ends_at: Date.UTC(2026, 11, 31) * 1000,
        closed_at: null,
        collateral: 'USDC',
        taker_fee_rate: null,
        maker_fee_rate: null,
        fee_exponent: null,
        neg_risk_id: null,
        neg_risk_index: null,
        volume_usd: null,
      },
    ])
  })

  test('of a group are nested in it, and a broken one leaves the others', async () => {
    const group = groupBody(1, [marketBody(1), marketBody(2, { conditionId: 7 }), marketBody(3, { title: 'Ada' })])
    const { markets, rejected } = await observe(at, venue({ active: [group] }))
    expect(
      markets.map(({ market_id, event_id, question, neg_risk_id }) => [market_id, event_id, question, neg_risk_id]),
    ).toEqual([
      [`limitless:${slug(1)}`, 'limitless:the-group-1', 'The winner: Will it happen 1?', `limitless:${hex(0xd001)}`],
      [`limitless:${slug(3)}`, 'limitless:the-group-1', 'The winner: Ada', `limitless:${hex(0xd001)}`],
    ])
    expect(rejected).toMatchObject([
      { dataset: 'markets', path: '/markets/active', reason: expect.stringMatching(/^conditionId: /) },
    ])
  })

  test.each([
    ['LOCKED', {}, 'paused'],
    ['FUNDED', { expired: true }, 'closed'],
    ['RESOLVED', { winningOutcomeIndex: 1 }, 'resolved'],
    ['RESOLVED', {}, 'closed'],
  ])('with the status %s and %j are %s', async (status, more, expected) => {
    const { markets } = await observe(at, venue({ active: [marketBody(1, { status, ...more })] }))
    expect(markets.map((market) => market.status)).toEqual([expected])
  })

  test('are stored on a change, and as closed once they are no longer listed', async () => {
    await observe(at, venue({ active: [marketBody(1), marketBody(2)] }))
    expect((await observe(at + step, venue({ active: [marketBody(1), marketBody(2)] }))).markets).toEqual([])
    const { markets } = await observe(at + 2 * step, venue({ active: [marketBody(1, { prices: [0.5, 0.5] })] }))
    expect(
      markets.map(({ market_id, status, is_open, created_at }) => [market_id, status, is_open, created_at]),
    ).toEqual([[`limitless:${slug(2)}`, 'closed', false, Date.UTC(2026, 10, 1, 3, 4, 5, 678) * 1000]])
    expect((await observe(at + 3 * step, venue({ active: [marketBody(1)] }))).markets).toEqual([])
  })

  test('that shift between pages are read again, and nothing counts as closed without a whole list', async () => {
    const many = Array.from({ length: 26 }, (_, n) => marketBody(n + 1))
    await observe(at, venue({ active: many }))
    // The second page repeats a row of the first, as after a removal.
    const shifted: Upstream = (_, query) => ({
      body: { data: query.get('page') === '1' ? many.slice(0, 25) : many.slice(24, 25), totalMarketsCount: 26 },
    })
    const { asked, markets, state, reason } = await observe(at + step, shifted)
    expect([asked.length, markets, state]).toEqual([6, [], 'unverified'])
    expect(reason).toBe('25 of 26 active markets were on its pages')
  })

  test('are not believed to be none', async () => {
    const { asked, markets, state, reason } = await observe(at, venue({}))
    expect([asked.length, markets, state]).toEqual([1, [], 'unverified'])
    expect(reason).toBe('the list shows no market at all; expected one')
  })
})
