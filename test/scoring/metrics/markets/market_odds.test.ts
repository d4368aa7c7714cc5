import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { clock, type Given } from '#test/scoring/model.ts'

import {
  dayAgo,
  withinDay,
  recent,
  market_id,
  trade,
  market,
  report,
  quoted,
  yes,
  volume,
} from './market_odds_given.ts'

describe('the price of YES', () => {
  const all: Given = {
    'core.market_states': [market({ reported_at: '2026-11-20 11:30:00', resolved_at: '2026-11-20 11:00:00' })],
    'staging.reported_resolutions': report(1, 0),
    'core.odds': [quoted()],
    'staging.tape': [trade()],
  }

  test('is the payout, then the book, the last trade, the venue, and at last none', async () => {
    expect(await yes(all)).toEqual([1, 'payout', '2026-11-20 11:30:00'])
    const open = { ...all, 'core.market_states': [market()], 'staging.reported_resolutions': [] }
    expect(await yes(open)).toEqual([0.4, 'mid', recent])
    const wide = { ...open, 'core.odds': [quoted({ mid: null })] }
    expect(await yes(wide)).toEqual([0.3, 'last_trade', recent])
    const still = { ...wide, 'staging.tape': [] }
    expect(await yes(still)).toEqual([0.45, 'venue', recent])
    expect(await yes({ ...still, 'core.odds': [] })).toEqual([null, 'none', null])
  })

  test('is a payout of 50-50 or void as it is, and waits for one that is not reported yet', async () => {
    const half = { ...all, 'staging.reported_resolutions': report(0.5, 0.5) }
    expect(await yes(half)).toEqual([0.5, 'payout', '2026-11-20 11:30:00'])
    const lost = { ...all, 'staging.reported_resolutions': report(0, 1) }
    expect(await yes(lost)).toEqual([0, 'payout', '2026-11-20 11:30:00'])
    const untold = {
      ...all,
      'staging.reported_resolutions': [],
      'core.market_states': [market({ resolved_at: recent, is_open: false })],
    }
    expect(await yes(untold)).toEqual([0.3, 'last_trade', recent])
  })

  test('is the last report of a payout that was corrected, from the first report on', async () => {
    const corrected = [...report(1, 0), { market_id, ts: clock, payouts: [0, 1] }]
    expect(await yes({ ...all, 'staging.reported_resolutions': corrected })).toEqual([
      0,
      'payout',
      '2026-11-20 11:30:00',
    ])
  })

  test('is the middle of a pushed book, which leaves the last price and the volume of the polls', async () => {
    const later = '2026-11-20 11:30:00'
    const pushed = quoted({ ts: later, mid: 0.6, shown: null, is_pushed: true })
    expect(await yes({ 'core.odds': [quoted(), pushed] })).toEqual([0.6, 'mid', later])
    expect(await yes({ 'core.odds': [quoted(), { ...pushed, mid: null }] })).toEqual([0.45, 'venue', later])
    const polled = { market_id, venue: 'polymarket', ts: recent, period_s: 0, volume_24h_usd: 777 }
    const silent = { ...polled, ts: later, volume_24h_usd: null, source: 'polymarket_book' }
    expect(await volume({ 'staging.quotes': [polled, silent] })).toEqual([777, 'venue'])
  })

  test('is of no book of a market that is closed to trading', async () => {
    const paused = { ...all, 'core.market_states': [market({ is_open: false })], 'staging.reported_resolutions': [] }
    expect(await yes(paused)).toEqual([0.3, 'last_trade', recent])
  })

  test('is of the book as it was seen last, not of the last time that it was a price', async () => {
    const seen = [quoted({ ts: dayAgo }), quoted({ mid: null, shown: null })]
    expect(await yes({ 'core.odds': seen })).toEqual([null, 'none', null])
    expect(await yes({ 'core.odds': [quoted({ ts: '2026-01-01' })] })).toEqual([0.4, 'mid', '2026-01-01 00:00:00'])
  })

  test('is of the last trade of 24 hours: the clock is in, what is 24 hours old is out', async () => {
    expect(await yes({ 'staging.tape': [trade({ ts: dayAgo })] })).toEqual([null, 'none', null])
    expect(await yes({ 'staging.tape': [trade({ ts: withinDay })] })).toEqual([0.3, 'last_trade', withinDay])
    const two = [trade({ ts: clock, price: 0.35 }), trade()]
    expect(await yes({ 'staging.tape': two })).toEqual([0.35, 'last_trade', clock])
  })

  test('is what is left of one when the other side was traded', async () => {
    expect(await yes({ 'staging.tape': [trade({ token_id: 'no', price: 0.3 })] })).toEqual([0.7, 'last_trade', recent])
  })

  test('is, of trades in one instant, always of the same one', async () => {
    const tied = [
      trade({ tx: '0x1', price: 0.2 }),
      trade({ tx: '0x2', price: 0.6 }),
      trade({ tx: '0x2', price: 0.5, seq: 1 }),
    ]
    for (const tape of [tied, tied.toReversed()]) {
      expect(await yes({ 'staging.tape': tape })).toEqual([0.5, 'last_trade', recent])
    }
  })
})

describe('the book of an open market', () => {
  const book = (bid: number | null, ask: number | null, shown: number | null): Given => ({
    'core.odds': [quoted({ mid: null, bid, ask, shown })],
  })
  const traded = (price: number): Given => ({ 'staging.tape': [trade({ price })] })

  test('bounds the last trade and the figure of the venue', async () => {
    const cases: [Given, number | null, string][] = [
      [{ ...book(0.2, 0.6, 0.5), ...traded(0.3) }, 0.3, 'last_trade'],
      [{ ...book(0.2, 0.6, 0.5), ...traded(0.2) }, 0.2, 'last_trade'],
      [{ ...book(0.2, 0.6, 0.5), ...traded(0.1) }, 0.5, 'venue'],
      [{ ...book(0.2, 0.6, 0.9), ...traded(0.1) }, 0.2, 'bid'],
      [{ ...book(0.2, 0.6, 0.1), ...traded(0.9) }, 0.6, 'ask'],
      [book(0.2, 0.6, 0.1), 0.2, 'bid'],
      [book(0.2, 0.6, null), null, 'none'],
      // An empty side is the end of the range.
      [book(null, 0.001, 0.98), 0.001, 'ask'],
      [book(null, 0.001, 0.0005), 0.0005, 'venue'],
      [book(0.97, null, 0.5), 0.97, 'bid'],
      // Neither an empty nor a crossed book bounds a price.
      [book(null, null, 0.98), 0.98, 'venue'],
      [{ ...book(0.6, 0.4, 0.98), ...traded(0.1) }, 0.1, 'last_trade'],
      [book(0.6, 0.4, 0.98), 0.98, 'venue'],
    ]
    for (const [given, ...expected] of cases) {
      expect((await yes(given))?.slice(0, 2), JSON.stringify(given)).toEqual(expected)
    }
  })

  test('bounds nothing once the market is closed, or when it is older than a trade and an hour', async () => {
    const given = { ...book(0.2, 0.25, 0.5), ...traded(0.9) }
    expect(await yes({ ...given, 'core.market_states': [market({ is_open: false })] })).toEqual([
      0.9,
      'last_trade',
      recent,
    ])
    const quotes = (ts: string) => [{ market_id, venue: 'polymarket', ts, period_s: 0 }]
    const late = trade({ price: 0.9, ts: '2026-11-20 10:00:00' })
    const old = { ...given, 'staging.tape': [late], 'staging.quotes': quotes('2026-11-20 09:00:00') }
    expect((await yes(old))?.slice(0, 2)).toEqual([0.9, 'last_trade'])
    expect((await yes({ ...old, 'staging.quotes': quotes('2026-11-20 10:00:00') }))?.slice(0, 2)).toEqual([0.25, 'ask'])
  })

  test('never leaves a served price outside of it', async () => {
    const side = fc.option(fc.integer({ min: 0, max: 1_000 }).map((n) => n / 1_000))
    const numRuns = sized(40, 60, 300)
    await fc.assert(
      fc.asyncProperty(side, side, side, side, async (bid, ask, shown, last) => {
        const [low, high] = [bid ?? 0, ask ?? 1]
        const mid = high >= low && high - low <= 0.1 ? (low + high) / 2 : null
        const tape = last === null ? {} : traded(last)
        const [price] = (await yes({ 'core.odds': [quoted({ mid, bid, ask, shown })], ...tape })) ?? []
        expect(price === null).toBe(mid === null && shown === null && last === null)
        if (price === null || low > high) return
        expect(price).toBeGreaterThanOrEqual(low)
        expect(price).toBeLessThanOrEqual(high)
      }),
      { numRuns },
    )
  })
})

describe('a block trade', () => {
  const block = trade({ role: 'block', price: 0.9, size: 1_000, tx: '0x9' })
  const covered: Given = {
    'staging.coverage_intervals': [
      {
        dataset: 'fills',
        part: 'polymarket',
        key: '',
        source: 'feed',
        from_at: dayAgo,
        to_at: clock,
        is_proved: true,
      },
    ],
  }

  test('is no price', async () => {
    expect(await yes({ 'staging.tape': [block] })).toEqual([null, 'none', null])
    const before = trade({ ts: '2026-11-20 10:00:00' })
    expect(await yes({ 'staging.tape': [before, block] })).toEqual([0.3, 'last_trade', '2026-11-20 10:00:00'])
    // A quote from before a block trade is not older than the last trade.
    const quote = { market_id, ts: '2026-11-20 10:30:00', period_s: 0 }
    const given = { 'staging.tape': [before, block], 'core.odds': [quoted()], 'staging.quotes': [quote] }
    expect((await yes(given))?.[1]).toBe('mid')
  })

  test('counts in the volume', async () => {
    expect(await volume({ ...covered, 'staging.tape': [trade(), block] })).toEqual([903, 'fills'])
  })
})

describe('the middle of the book', () => {
  const old = '2026-11-20 09:00:00'
  const given = {
    'core.odds': [quoted({ ts: old })],
    'staging.quotes': [{ market_id, venue: 'polymarket', ts: old, period_s: 0 }],
  }
  const observed = (from_at: string) => [{ dataset: 'quotes', part: 'polymarket', state: 'done', from_at }]

  test('is no price when it was trading since the venue was looked at, more than an hour ago', async () => {
    const traded = { ...given, 'staging.tape': [trade({ ts: '2026-11-20 09:30:00' })] }
    expect((await yes({ ...traded, 'lake.coverage': observed(old) }))?.slice(0, 2)).toEqual([0.3, 'last_trade'])
    expect((await yes({ ...traded, 'lake.coverage': observed('2026-11-20 09:30:00') }))?.slice(0, 2)).toEqual([
      0.4,
      'mid',
    ])
    expect((await yes({ ...given, 'lake.coverage': observed(old) }))?.slice(0, 2)).toEqual([0.4, 'mid'])
  })
})
