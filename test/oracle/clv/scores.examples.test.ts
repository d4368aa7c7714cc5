import { describe, expect, it } from 'vitest'

import { oracleClv } from './clv.ts'
import { closing, crowded, day, fill, hour, market, markets, point, start } from './examples.ts'
import { as_of } from './worlds.ts'

describe('a cluster', () => {
  it('is the mean of its fills by what is at risk, events of a day together, and what is left out apart', () => {
    const fills = [
      fill({}),
      // 20 points lost on 80 USD.
      fill({ market: 'n', event: 'other', price: 800_000n, role: 'maker' }),
      fill({ ts: start }),
      closing(),
      closing({ market: 'n' }),
    ]
    const { clusters, scores } = oracleClv({ fills: crowded(fills), markets, quotes: [], observed_at: [], as_of })
    // (50 x 10 - 80 x 20) / 130 = -8.461538...
    const cluster = {
      trader: 'a',
      kind: 'event_start',
      category: '',
      day: Math.floor(start / day),
      edge: (-110n * point) / 13n,
      risk: 130_000_000n,
      maker: 80_000_000n,
      price_variance: expect.closeTo((0.25 * 50 + 0.16 * 80) / 130, 12),
      n_fills: 2,
      n_resolved: 0,
    }
    expect(clusters).toEqual(['30d', '90d', 'all'].map((range) => ({ range, ...cluster })))
    expect(scores.every(({ population }) => population === null)).toBe(true)
  })
})

/** Clusters of 'a', each with one purchase at 0.50 whose close is near 0.60, `days[i]` days before the clock. */
function rounds(days: number[], sizes = days.map(() => 100_000_000n)) {
  const own = days.map((ago, i) => market(`r${i}`, as_of - ago * day))
  const fills = own.flatMap(({ market: name }, i) => {
    const ts = as_of - (days[i] ?? 0) * day
    return [
      fill({ event: name, market: name, ts: ts - hour, size: sizes[i] ?? 0n }),
      closing({ event: name, market: name, ts, price: i % 2 === 0 ? 600_000n : 602_000n }),
    ]
  })
  return oracleClv({ fills: crowded(fills), markets: own, quotes: [], observed_at: [], as_of })
}

describe('a score', () => {
  it('counts the clusters whose close lies in the range', () => {
    const { scores } = rounds([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 89, 90, 200])
    expect(scores.map(({ range, kind, traders }) => [range, kind, traders[0]?.n_clusters])).toEqual([
      ['30d', 'event_start', 10],
      ['30d', 'markout_24h', undefined],
      ['90d', 'event_start', 12],
      ['90d', 'markout_24h', undefined],
      ['all', 'event_start', 14],
      ['all', 'markout_24h', undefined],
    ])
    expect(scores[4]?.traders[0]).toMatchObject({ n_eff: 14, se: 0, scored_share: 1 })
    expect(scores[4]?.traders[0]?.clv).toBeCloseTo(10.1, 12)
  })

  it('weighs no cluster more than its trader’s 95th percentile', () => {
    const W = (sizes: bigint[]) =>
      rounds(
        sizes.map((_, i) => i),
        sizes,
      ).scores[4]?.weights.map((each) => each.W)
    // Of 2 USD and 1 USD: 1.95. Of 21 the one before the last.
    expect(W([4_000_000n, 2_000_000n])).toEqual([195_000_000n, 100_000_000n])
    const many = W(Array.from({ length: 21 }, (_, i) => BigInt(i + 1) * 2_000_000n))
    expect(many?.slice(-3)).toEqual([1_900_000_000n, 2_000_000_000n, 2_000_000_000n])
    expect(W([2_000_000n])).toEqual([100_000_000n])
  })
})
