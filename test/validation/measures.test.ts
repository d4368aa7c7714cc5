import { describe, expect, it } from 'vitest'

import { measure, resultOf, type Ranked } from '#validation/measures.ts'

import { tradersOf } from './traders.ts'

const resampling = { n_resamples: 200, seed: 1 }

describe('the measures', () => {
  it('correlate each score with what came after', () => {
    for (const target of ['payout', 'clv', 'roi'] as const) {
      const { spearman } = measure(tradersOf(40), resampling)[target]
      expect(spearman.clv.value).toBe(1)
      expect(spearman.pnl.value).toBe(-1)
      expect(spearman.win_rate.value).toBeGreaterThan(0)
      expect(spearman.clv_minus_pnl.value).toBe(2)
      // For each draw: both figures of a comparison use the same one.
      expect(new Set(spearman.clv_minus_pnl.draws)).toEqual(new Set([2]))
    }
  })

  it('take the results of the tenth that each score ranked highest', () => {
    const { top_decile } = measure(tradersOf(40), resampling).roi
    expect(top_decile.clv.value).toBeCloseTo((0.39 + 0.38 + 0.37 + 0.36) / 4, 12)
    expect(top_decile.pnl.value).toBeCloseTo((0.0 + 0.01 + 0.02 + 0.03) / 4, 12)
    // Ten share the highest win rate, and each is four tenths in it: 3, 7, ... 39.
    expect(top_decile.win_rate.value).toBeCloseTo(0.21, 12)
    expect(top_decile.clv_minus_win_rate.value).toBeCloseTo(0.375 - 0.21, 12)
  })

  it('decide the traders of a tenth as of then, with and without later results', () => {
    const traders = tradersOf(40, (trader, i) => (i >= 38 ? { ...trader, roi: null, payout: [] } : trader))
    const { roi, payout } = measure(traders, resampling)
    expect(roi.top_decile.clv.value).toBeCloseTo((0.37 + 0.36) / 2, 12)
    expect(payout.top_decile.clv.value).toBeCloseTo((37 + 36) / 2, 12)
    expect(payout.spearman.clv.value).toBe(1)
  })
})

describe('a later result', () => {
  const cells = [
    { cluster: 0, points: 4, weight: 10 },
    { cluster: 1, points: -2, weight: 30 },
  ]
  const trader = { ...tradersOf(1)[0], payout: cells, clv: [] } as Ranked

  it('is the mean of its clusters by weight, as often as each is drawn', () => {
    expect(resultOf(trader, 'payout', Uint32Array.of(1, 1))).toBe(-0.5)
    expect(resultOf(trader, 'payout', Uint32Array.of(3, 1))).toBe(1)
    expect(resultOf(trader, 'payout', Uint32Array.of(2, 0))).toBe(4)
  })

  it('is unknown without a cluster that is drawn', () => {
    expect(resultOf(trader, 'clv', Uint32Array.of(1, 1))).toBeNaN()
    expect(resultOf(trader, 'payout', Uint32Array.of(0, 0))).toBeNaN()
  })

  it('spreads more where traders share their clusters', () => {
    // All of forty traders have the same two clusters, whose news differ.
    const shared = tradersOf(40, (one, i) => ({
      ...one,
      payout: [
        { cluster: i % 2, points: i + 20 * (i % 2), weight: 1 },
        { cluster: 2 + (i % 3), points: i, weight: 1 },
      ],
    }))
    const { draws } = measure(shared, resampling).payout.spearman.clv
    expect(new Set(draws).size).toBeGreaterThan(100)
  })
})
