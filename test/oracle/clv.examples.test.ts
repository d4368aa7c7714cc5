import { describe, expect, it } from 'vitest'

import type { Fill, Market, Quote } from './clv_closes.ts'
import { oracleClv, type ScoredFill } from './clv.ts'
import { as_of } from './clv_worlds.ts'

const minute = 60_000_000
const hour = 60 * minute
const day = 24 * hour
/** The market 'm' starts then; 'n', its neg-risk sibling, too; 'free' at no known time. */
const start = as_of - 10 * day

const markets: Market[] = [
  { market: 'm', n_outcomes: 2, starts_at: start },
  { market: 'n', n_outcomes: 2, starts_at: start },
  { market: 'late', n_outcomes: 2, starts_at: as_of + 1 },
  { market: 'now', n_outcomes: 2, starts_at: as_of },
  { market: 'free', n_outcomes: 2, starts_at: null },
]

let n_rows = 0
/** A taker's purchase of 100 shares of 'm', outcome 0, at 0.50 an hour before the start, in a transaction of its own. */
const fill = (told: Partial<Fill>): Fill => {
  const { price = 500_000n, size = 100_000_000n } = told
  return {
    trader: 'a',
    event: 'e',
    market: 'm',
    outcome: 0,
    ts: start - hour,
    tx: `0x${n_rows++}`,
    side: 'buy',
    price,
    size,
    cash: (price * size) / 1_000_000n,
    fee: 0n,
    role: 'taker',
    ...told,
  }
}
/** Somebody else's purchase of 1,000 shares at 0.60 in the close window. */
const closing = (told: Partial<Fill> = {}): Fill =>
  fill({ trader: 'z', ts: start, price: 600_000n, size: 1_000_000_000n, ...told })

/** The first fill beside its close, among the others. */
function first(fills: Fill[], quotes: Quote[] = []): ScoredFill {
  const [scored] = oracleClv({ fills, markets, quotes, as_of }).fills
  if (scored === undefined) throw new Error('nothing was scored')
  return scored
}

describe('a fill', () => {
  it.each([
    ['bought at 0.50, close 0.60', {}, 10_000_000n, 50_000_000n],
    // p = 0.52
    ['bought with a fee', { fee: 2_000_000n }, 8_000_000n, 52_000_000n],
    ['sold', { side: 'sell' }, -10_000_000n, 50_000_000n],
    // p = 0.48
    ['sold with a fee', { side: 'sell', fee: 2_000_000n }, -12_000_000n, 52_000_000n],
    // p = 50 / 300: 43.333333... points
    ['at a price of many digits', { size: 300_000_000n, cash: 50_000_000n }, 43_333_333n, 50_000_000n],
  ] as const)('%s', (_, told, edge, risk) => {
    expect(first([fill(told), closing()])).toMatchObject({ close: 600_000n, edge, risk, left_out: null })
  })

  it.each([
    ['start', { ts: start - 15 * minute }],
    ['start', { ts: start }],
    ['in_play', { ts: start + 1 }],
    ['extreme', { price: 19_999n }],
    ['extreme', { price: 980_001n }],
    ['no_close', { market: 'late' }],
    [null, { ts: start - 15 * minute - 1 }],
    [null, { price: 20_000n }],
    [null, { price: 980_000n }],
    [null, { market: 'now', ts: as_of - hour }],
  ] as const)('is left out for %s: %o', (reason, told) => {
    const quote = { market: 'now', ts: as_of, mid: 500_000n }
    expect(first([fill(told), closing()], [quote]).left_out).toBe(reason)
  })

  it('is left out where its trader was on both sides, in either token', () => {
    const both = fill({ tx: '0xself', side: 'sell', role: 'maker', outcome: 1 })
    expect(first([fill({ tx: '0xself' }), both, closing()]).left_out).toBe('self')
    expect(first([fill({ tx: '0xself' }), { ...both, trader: 'b' }, closing()]).left_out).toBeNull()
  })

  it('without a start is held against the day after', () => {
    const bought = fill({ market: 'free', ts: start })
    const at = (ts: number) => first([bought, closing({ market: 'free', ts })])
    expect(at(start + 23 * hour)).toMatchObject({ kind: 'markout_24h', close_at: start + day, close: 600_000n })
    expect(at(start + 25 * hour).close).toBe(600_000n)
    expect(at(start + 23 * hour - 1).left_out).toBe('no_close')
    expect(at(start + 25 * hour + 1).left_out).toBe('no_close')
    const recent = fill({ market: 'free', ts: as_of - 25 * hour + 1 })
    expect(first([recent, closing({ market: 'free', ts: as_of })]).left_out).toBe('no_close')
  })
})

describe('a close', () => {
  it('weighs the fills of others by their size, each match once', () => {
    const [made, taken] = [{ tx: '0xm', trader: 'y', role: 'maker', side: 'sell' } as const, { tx: '0xm' }]
    // (600 + 40) / 1,100
    const others = [closing(taken), closing(made), closing({ price: 400_000n, size: 100_000_000n })]
    expect(first([fill({}), ...others]).close).toBe(581_818n)
  })

  it('needs 100 USD of others', () => {
    const of = (cash: bigint) => first([fill({}), closing({ cash, size: 200_000_000n })]).close
    expect([of(100_000_000n), of(99_999_999n)]).toEqual([500_000n, null])
  })

  it('leaves out what the trader took', () => {
    expect(first([fill({}), closing(), closing({ trader: 'a', price: 900_000n })]).close).toBe(600_000n)
    expect(first([fill({}), closing({ trader: 'a' })]).close).toBeNull()
  })

  it('leaves out what the trader made, and not what others made beside it', () => {
    // 600 USD for 1,000 shares, of which the trader gave 400 for 160: 440 / 600.
    const own = closing({ tx: '0xm', trader: 'a', role: 'maker', side: 'sell', price: 400_000n, size: 400_000_000n })
    const other = { ...own, trader: 'y', size: 600_000_000n, cash: 440_000_000n }
    expect(first([fill({}), closing({ tx: '0xm' }), own, other]).close).toBe(733_333n)
  })

  it('leaves out what the trader made by buying the other token', () => {
    const own = closing({ tx: '0xm', trader: 'a', role: 'maker', outcome: 1, price: 400_000n, size: 900_000_000n })
    const whole = closing({ tx: '0xm', price: 600_000n })
    expect(first([fill({}), whole, own]).close).toBeNull()
    // 100 shares of it at 0.60 are left; the other token was not taken by anybody.
    expect(first([fill({}), { ...whole, size: 1_100_000_000n, cash: 660_000_000n }, own]).close).toBe(600_000n)
    expect(first([fill({ outcome: 1 }), whole, own]).close).toBeNull()
  })

  it('is of the same token, else the last midpoint in the window', () => {
    const quotes = [
      { market: 'm', ts: start - 15 * minute - 1, mid: 100_000n },
      { market: 'm', ts: start - minute, mid: 550_000n },
      { market: 'm', ts: start - 2 * minute, mid: 530_000n },
      { market: 'm', ts: start + 1, mid: 990_000n },
    ]
    expect(first([fill({}), closing({ outcome: 1 })], quotes).close).toBe(550_000n)
    expect(first([fill({ outcome: 1 }), closing()], quotes).close).toBe(450_000n)
    expect(first([fill({}), closing()], quotes).close).toBe(600_000n)
    expect(first([fill({})], quotes.slice(0, 1)).left_out).toBe('no_close')
  })
})

describe('an event', () => {
  it('is the mean of its fills by what is at risk, siblings together, and what is left out apart', () => {
    const fills = [
      fill({}),
      // 20 points lost on 80 USD.
      fill({ market: 'n', price: 800_000n }),
      fill({ ts: start }),
      closing(),
      closing({ market: 'n' }),
    ]
    const { events, scores } = oracleClv({ fills, markets, quotes: [], as_of })
    // (50 x 10 - 80 x 20) / 130 = -8.461538...
    expect(events).toEqual([
      {
        trader: 'a',
        kind: 'event_start',
        event: 'e',
        close_at: start,
        edge: -8_461_538n,
        risk: 130_000_000n,
        n_fills: 2,
      },
    ])
    expect(scores.every(({ population }) => population === null)).toBe(true)
  })
})

/** Events of 'a', each with one purchase at 0.50 whose close is 0.60, `days[i]` days before the clock. */
function rounds(days: number[], sizes = days.map(() => 100_000_000n)) {
  const own = days.map((ago, i) => ({ market: `r${i}`, n_outcomes: 2, starts_at: as_of - ago * day }))
  const fills = own.flatMap(({ market, starts_at: ts }, i) => [
    fill({ event: market, market, ts: ts - hour, size: sizes[i] ?? 0n }),
    closing({ event: market, market, ts }),
  ])
  return oracleClv({ fills, markets: own, quotes: [], as_of })
}

describe('a score', () => {
  it('counts the events whose close lies in the range', () => {
    const { scores } = rounds([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 89, 90, 200])
    expect(scores.map(({ range, kind, traders }) => [range, kind, traders[0]?.n_events])).toEqual([
      ['30d', 'event_start', 10],
      ['30d', 'markout_24h', undefined],
      ['90d', 'event_start', 12],
      ['90d', 'markout_24h', undefined],
      ['all', 'event_start', 14],
      ['all', 'markout_24h', undefined],
    ])
    expect(scores[4]?.traders[0]).toMatchObject({ xbar: 10, n_eff: 14, clv: 10, se: 0, scored_share: 1 })
  })

  it('weighs no event more than its trader’s 95th percentile', () => {
    const sizes = Array.from({ length: 20 }, (_, i) => BigInt(i + 1) * 2_000_000n)
    const W = (n: number) =>
      rounds(
        sizes.slice(20 - n).map((_, i) => i),
        sizes.slice(20 - n),
      ).scores[4]?.weights.map((each) => each.W)
    // Of 20 the nineteenth, of fewer the last.
    expect(W(20)?.slice(-3)).toEqual([18_000_000n, 19_000_000n, 19_000_000n])
    expect(W(19)?.slice(-2)).toEqual([19_000_000n, 20_000_000n])
  })
})
