import { describe, expect, it } from 'vitest'

import { decilesOf, measure } from '#validation/measures.ts'

import { tradersOf } from './traders.ts'

const resampling = { n_resamples: 200, seed: 1 }

describe('the measures', () => {
  it('correlate each score with what came after', () => {
    const { spearman } = measure(tradersOf(40), resampling)
    expect(spearman.clv.value).toBe(1)
    expect(spearman.pnl.value).toBe(-1)
    expect(spearman.win_rate.value).toBeGreaterThan(0)
    expect(spearman.clv_minus_pnl.value).toBe(2)
    // On whatever draw: what is compared is compared on the same one.
    expect(new Set(spearman.clv_minus_pnl.draws)).toEqual(new Set([2]))
  })

  it('take the returns of the tenth that each score ranked highest', () => {
    const { top_decile_roi } = measure(tradersOf(40), resampling)
    expect(top_decile_roi.clv.value).toBeCloseTo((0.39 + 0.38 + 0.37 + 0.36) / 4, 12)
    expect(top_decile_roi.pnl.value).toBeCloseTo((0.0 + 0.01 + 0.02 + 0.03) / 4, 12)
    // Ten share the highest win rate, and each is four tenths in it: 3, 7, ... 39.
    expect(top_decile_roi.win_rate.value).toBeCloseTo(0.21, 12)
    expect(top_decile_roi.clv_minus_win_rate.value).toBeCloseTo(0.375 - 0.21, 12)
  })

  it('decide the traders of a tenth as of then, with and without later results', () => {
    const traders = tradersOf(40, (trader, i) => (i >= 38 ? { ...trader, roi: null, realized_points: null } : trader))
    const { spearman, top_decile_roi } = measure(traders, resampling)
    expect(top_decile_roi.clv.value).toBeCloseTo((0.37 + 0.36) / 2, 12)
    expect(spearman.clv.value).toBe(1)
    expect(decilesOf(traders).clv.slice(0, 2)).toEqual([36.5, 33.5])
  })
})

describe('the deciles', () => {
  it('are the mean of what came after, the best first', () => {
    const { clv, pnl, win_rate } = decilesOf(tradersOf(40))
    expect(clv).toEqual([37.5, 33.5, 29.5, 25.5, 21.5, 17.5, 13.5, 9.5, 5.5, 1.5])
    expect(pnl).toEqual(clv.toReversed())
    // Four values cut in ten: a decile between two of them has its part of both.
    expect(win_rate.map((mean) => Math.round(mean * 1e6) / 1e6)).toEqual([21, 21, 20.5, 20, 20, 19, 19, 18.5, 18, 18])
  })
})
