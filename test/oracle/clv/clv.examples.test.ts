import { describe, expect, it } from 'vitest'

import type { Fill, Quote, ScoredFill } from './closes.ts'
import { oracleClv } from './clv.ts'
import { closing, crowded, day, fill, hour, markets, minute, point, start } from './examples.ts'
import { as_of } from './worlds.ts'

/** The first fill beside its first close, among the others. */
function first(fills: Fill[], quotes: Quote[] = [], observed_at: number[] = []): ScoredFill {
  const [scored] = oracleClv({ fills: crowded(fills), markets, quotes, observed_at, as_of }).fills
  if (scored === undefined) throw new Error('nothing was scored')
  return scored
}

describe('a fill', () => {
  it.each([
    ['bought at 0.50, close 0.60', {}, 10n * point, 50_000_000n],
    // p = 0.52
    ['bought with a fee', { fee: 2_000_000n }, 8n * point, 52_000_000n],
    ['sold', { side: 'sell' }, -10n * point, 50_000_000n],
    // p = 0.48
    ['sold with a fee', { side: 'sell', fee: 2_000_000n }, -12n * point, 52_000_000n],
    // p = 50 / 300: 43 1/3 points
    ['at a price of many digits', { size: 300_000_000n, cash: 50_000_000n }, (130n * point) / 3n, 50_000_000n],
  ] as const)('%s', (_, fields, edge, risk) => {
    expect(first([fill(fields), closing()])).toMatchObject({ close: 600_000n, edge, risk, left_out: null })
  })

  it.each([
    ['start', { ts: start - 15 * minute }],
    ['start', { ts: start - 1 }],
    ['in_play', { ts: start }],
    ['in_play', { ts: start, price: 1_000n }],
    ['extreme', { price: 19_999n }],
    ['extreme', { price: 980_001n }],
    ['no_close', { market: 'late' }],
    [null, { ts: start - 15 * minute - 1 }],
    [null, { price: 20_000n }],
    [null, { price: 980_000n }],
    [null, { market: 'now', ts: as_of - hour }],
  ] as const)('is left out for %s: %o', (reason, fields) => {
    const quote = { market: 'now', ts: as_of, mid: 500_000n }
    expect(first([fill(fields), closing()], [quote]).left_out).toBe(reason)
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

  it('before a start is held against both, unless the day after ends in play', () => {
    const markout = (ts: number) => {
      const fills = [fill({ ts }), closing({ ts: ts + 23 * hour })]
      return oracleClv({ fills: crowded(fills), markets, quotes: [], observed_at: [], as_of }).fills[1]
    }
    expect(markout(start - 25 * hour - 1)).toMatchObject({ kind: 'markout_24h', close: 600_000n, left_out: null })
    expect(markout(start - 25 * hour)).toMatchObject({ kind: 'markout_24h', left_out: 'in_play' })
    expect(markout(start + 1)).toMatchObject({ kind: 'markout_24h', left_out: 'in_play' })
  })
})

describe('a close', () => {
  it('weighs the fills of others by their size, each match once', () => {
    const made = closing({ tx: '0xm', trader: 'y', role: 'maker', side: 'sell' })
    // (600 + 40) / 1,100
    const others = [closing({ tx: '0xm' }), made, closing({ price: 400_000n, size: 100_000_000n })]
    expect(first([fill({}), ...others]).close).toBe(581_818n)
  })

  it('is of both tokens of two, at the price of the one, and of each of three alone', () => {
    const other = closing({ outcome: 1, price: 200_000n })
    expect(first([fill({}), closing(), other]).close).toBe(700_000n)
    expect(first([fill({ outcome: 1 }), closing(), other]).close).toBe(300_000n)
    const three = [fill({ market: 'three' }), closing({ market: 'three' }), { ...other, market: 'three' }]
    expect(first(three).close).toBe(600_000n)
  })

  it('needs 200 shares of others, whatever they cost', () => {
    const of = (size: bigint, cash: bigint) => first([fill({}), closing({ size, cash })]).close
    expect([of(199_999_998n, 100_000_000n), of(199_999_997n, 100_000_000n)]).toEqual([500_000n, null])
    expect([of(200_000_000n, 10_000_000n), of(200_000_000n, 190_000_000n)]).toEqual([50_000n, 950_000n])
  })

  it('needs three takers other than the trader, each with something taken of others', () => {
    const by = (...traders: string[]) => traders.map((trader, i) => closing({ trader, tx: `0x${trader}${i}` }))
    const close = (others: Fill[]) => first([fill({}), ...others]).close
    expect([close(by('b', 'c', 'd')), close(by('b', 'c', 'c')), close(by('a', 'b', 'c'))]).toEqual([
      600_000n,
      null,
      null,
    ])
    expect(close(by('a', 'b', 'c', 'd'))).toBe(600_000n)
    const [own, made] = [closing({ trader: 'd', tx: '0xd' }), closing({ trader: 'd', tx: '0xd', role: 'maker' })]
    expect(close([...by('b', 'c'), own, made])).toBeNull()
    expect(close([...by('b', 'c'), own, { ...made, size: 999_999_999n }])).toBe(600_000n)
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
    // A trader bought the other token: 600 of 1,000 shares at 1 - 0.4 are left.
    const buyer = { ...own, outcome: 1, side: 'buy' } as const
    expect(first([fill({}), closing({ tx: '0xm' }), buyer]).close).toBe(600_000n)
  })

  it('takes the maker rows of the trader only out of a taker row', () => {
    const own = closing({ tx: '0xm', trader: 'a', role: 'maker', side: 'sell', price: 400_000n, size: 400_000_000n })
    expect(first([fill({}), closing(), own]).close).toBe(600_000n)
  })

  it('leaves out trades of another trader with itself', () => {
    const [taken, made] = [closing({ tx: '0xw' }), closing({ tx: '0xw', role: 'maker', size: 900_000_000n })]
    expect(first([fill({}), taken, made]).close).toBeNull()
    // 100 shares at 0.60 were taken from others, beside 1,000 at 0.40.
    expect(first([fill({}), taken, made, closing({ price: 400_000n })]).close).toBe(418_182n)
  })

  it('is the last midpoint recorded in the window where others traded too little', () => {
    const quotes = [
      { market: 'm', ts: start - 15 * minute - 1, mid: 100_000n },
      { market: 'm', ts: start - minute, mid: 550_000n },
      { market: 'm', ts: start - 2 * minute, mid: 530_000n },
      { market: 'm', ts: start + 1, mid: 990_000n },
    ]
    expect(first([fill({})], quotes).close).toBe(550_000n)
    expect(first([fill({ outcome: 1 })], quotes).close).toBe(450_000n)
    expect(first([fill({}), closing()], quotes).close).toBe(600_000n)
    expect(first([fill({ market: 'three', outcome: 1 })], quotes).close).toBeNull()
    // An older one counts where the books were looked at since.
    expect(first([fill({})], quotes.slice(0, 1)).close).toBeNull()
    expect(first([fill({})], quotes.slice(0, 1), [start - 15 * minute]).close).toBe(100_000n)
    expect(first([fill({})], quotes.slice(0, 1), [start + 1]).close).toBeNull()
    // A book that became too wide has none.
    expect(first([fill({})], [...quotes, { market: 'm', ts: start, mid: null }]).close).toBeNull()
  })

  it('is not the payout', () => {
    const bought = fill({ market: 'resolved', ts: start })
    const at = (ts: number) => [
      first([bought, closing({ market: 'resolved', ts })]).close,
      first([bought], [{ market: 'resolved', ts, mid: 990_000n }]).close,
    ]
    expect(at(start + day - 1)).toEqual([600_000n, 990_000n])
    expect(at(start + day)).toEqual([null, null])
  })

  it('of a market that resolves within 25 hours is of the two hours before, and tagged', () => {
    const resolved_at = start + day
    const at = (ts: number, fill_ts = start) =>
      first([fill({ market: 'resolved', ts: fill_ts }), closing({ market: 'resolved', ts })])
    expect(at(resolved_at - 2 * hour)).toMatchObject({ close: 600_000n, close_at: resolved_at, is_resolved: true })
    expect(at(resolved_at - 2 * hour - 1)).toMatchObject({ left_out: 'no_close', is_resolved: true })
    expect(at(resolved_at - 1, resolved_at - 2 * hour)).toMatchObject({ left_out: 'start' })
    expect(at(resolved_at - hour, resolved_at - 25 * hour)).toMatchObject({ close: 600_000n, is_resolved: true })
    expect(at(resolved_at - hour, resolved_at - 25 * hour - 1)).toMatchObject({ close: 600_000n, is_resolved: false })
  })
})
