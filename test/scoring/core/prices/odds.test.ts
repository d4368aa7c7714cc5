import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

/** The sides of a book in steps of 0.001; null where one is empty. A venue may write an empty side as 0 or 1. */
const book = fc.tuple(fc.option(fc.integer({ min: 0, max: 999 })), fc.option(fc.integer({ min: 1, max: 1000 })))
const price = (steps: number | null) => (steps === null ? null : steps / 1000)
/** The side of the other outcome. Its empty side is not written. */
const mirrored = (steps: number | null) => (steps === null || steps % 1000 === 0 ? null : 1000 - steps)

describe('odds', () => {
  const mid = async (bid: number | null, ask: number | null) =>
    cut(await run('core.odds', { 'staging.quotes': [{ market_id: 'm', bid, ask, period_s: 0 }] }), 'mid')[0]?.[0]

  test('are the middle of the book up to a spread of 0.10', async () => {
    expect(await mid(0.45, 0.55)).toBe(0.5)
    expect(await mid(0.45, 0.550001)).toBeNull()
    expect(await mid(0.333333, 0.333334)).toBe(0.333334)
    expect(await mid(0.5, 0.5)).toBe(0.5)
  })

  test('have 0 or 1 for an empty side, as the venue shows it', async () => {
    expect(await mid(null, 0.001)).toBe(0.0005)
    expect(await mid(0.999, null)).toBe(0.9995)
    expect(await mid(0.999, 1)).toBe(0.9995)
    expect(await mid(null, 0.01)).toBe(0.005)
    expect(await mid(0.99, null)).toBe(0.995)
    expect(await mid(null, 0.010001)).toBeNull()
    expect(await mid(0.989999, null)).toBeNull()
  })

  test('are no price where a wide book is near 0 or 1', async () => {
    expect(await mid(0.001, 0.03)).toBeNull()
    expect(await mid(0.97, 0.999)).toBeNull()
    // The spread is the distance of the midpoint: 0.02 and 0.06 have 0.04 and 0.04.
    expect(await mid(0.02, 0.06)).toBe(0.04)
    expect(await mid(0.94, 0.98)).toBe(0.96)
    expect(await mid(0.019999, 0.06)).toBeNull()
    expect(await mid(0.94, 0.980001)).toBeNull()
    expect(await mid(0.001, 0.011)).toBe(0.006)
  })

  test('are no price where the book is empty or crossed', async () => {
    expect(await mid(null, null)).toBeNull()
    expect(await mid(0.5, 0.499999)).toBeNull()
  })

  test('of an outcome are those of the other one, mirrored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(book, { minLength: 20, maxLength: 200 }), async (books) => {
        const quotes = books.flatMap(([bid, ask], n) => [
          { market_id: `yes ${n}`, bid: price(bid), ask: price(ask), period_s: 0 },
          { market_id: `no ${n}`, bid: price(mirrored(ask)), ask: price(mirrored(bid)), period_s: 0 },
        ])
        const rows = cut(await run('core.odds', { 'staging.quotes': quotes }), 'market_id', 'mid')
        const mids = new Map(rows.map(([id, mid]) => [id, mid]))
        for (const n of books.keys()) {
          const [yes, no] = [mids.get(`yes ${n}`), mids.get(`no ${n}`)]
          expect(no === null ? null : 1 - Number(no)).toEqual(yes === null ? null : expect.closeTo(Number(yes), 6))
        }
      }),
      { numRuns: 20 },
    )
  })

  test('show the figure of the venue, or else its last price, and no placeholder', async () => {
    const shown = async (more: Record<string, number | null>) =>
      cut(await run('core.odds', { 'staging.quotes': [{ market_id: 'm', period_s: 0, ...more }] }), 'shown')[0]?.[0]
    expect(await shown({ venue_price: 0.3, last: 0.9 })).toBe(0.3)
    expect(await shown({ last: 0.9 })).toBe(0.9)
    expect(await shown({})).toBeNull()
    // Gamma shows 0.50 for a market without a trade or a quote.
    expect(await shown({ venue_price: 0.5 })).toBeNull()
    expect(await shown({ venue_price: 0.5, liquidity_usd: 0 })).toBeNull()
    expect(await shown({ venue_price: 0.5, liquidity_usd: 0.01 })).toBe(0.5)
    expect(await shown({ venue_price: 0.5, liquidity_usd: 0, last: 0.4 })).toBe(0.5)
    expect(await shown({ venue_price: 0.51, liquidity_usd: 0 })).toBe(0.51)
  })

  test('are of instants, not of candles', async () => {
    const quotes = [
      { market_id: 'm', period_s: 0, bid: 0.4, last: 0.41 },
      { market_id: 'm', period_s: 60, bid: 0.6 },
    ]
    expect(cut(await run('core.odds', { 'staging.quotes': quotes }), 'bid', 'last')).toEqual([[0.4, 0.41]])
  })
})
