import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { Alert, AlertState } from '#accounts/alerts/alerts.ts'
import { evaluate, type Observed } from '#api/alerts/thresholds.ts'

const unknown: Observed = { pnl: null, price: null, volume_24h: null, mindshare_delta: null, sentiment: null }
const fresh = (baseline: number | null): AlertState => ({ is_armed: true, baseline, seen_at: 0 })

/** The steps at which an alert fires over a series of figures. */
function firings(
  alert: Pick<Alert, 'type' | 'threshold'>,
  figures: readonly Partial<Observed>[],
  baseline: number | null = null,
): number[] {
  let state = fresh(baseline)
  return figures.flatMap((given, step) => {
    const next = evaluate({ ...alert, state }, { ...unknown, ...given })
    state = next.state
    return next.fires ? [step] : []
  })
}
const prices = (...values: (number | null)[]) => values.map((price) => ({ price }))

test('a level fires once for each crossing', () => {
  const above = { type: 'market' as const, threshold: { price_above: 0.6 } }
  expect(firings(above, prices(0.5, 0.61, 0.7, 0.59, 0.6, 0.9))).toEqual([1, 4])
  const below = { type: 'market' as const, threshold: { price_below: 0.2 } }
  expect(firings(below, prices(0.1, null, 0.1, 0.3, 0.2))).toEqual([0, 2, 4])
  const sentiment = { type: 'social' as const, threshold: { sentiment: 'bullish' } }
  expect(firings(sentiment, [{ sentiment: 'neutral' }, { sentiment: 'bullish' }, { sentiment: 'bullish' }])).toEqual([
    1,
  ])
})

test('a change is measured from the creation, and then from each firing', () => {
  const change = { type: 'market' as const, threshold: { price_change: 0.1 } }
  expect(firings(change, prices(0.55, 0.6, 0.65, 0.5, 0.41, 0.4), 0.5)).toEqual([1, 3, 5])
  const loss = { type: 'wallet' as const, threshold: { pnl_change: -100 } }
  const results = [1_000, 950, 900, 1_500, 850, 801, 800].map((pnl) => ({ pnl }))
  expect(firings(loss, results, 1_000)).toEqual([2, 6])
  // Without a figure at the creation the first one is the baseline.
  expect(firings(change, prices(null, 0.5, 0.6))).toEqual([2])
})

test('all conditions must hold', () => {
  const both = { type: 'market' as const, threshold: { price_above: 0.5, volume_24h: 1_000 } }
  const given = [
    { price: 0.6, volume_24h: 500 },
    { price: 0.4, volume_24h: 2_000 },
    { price: 0.6, volume_24h: 2_000 },
  ]
  expect(firings(both, given)).toEqual([2])
})

test('over any series, a level fires exactly where it begins to hold, and a change never within its distance', () => {
  const series = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(series, fc.integer({ min: 1, max: 99 }), (cents, level) => {
      const holds = cents.map((value) => value >= level)
      const begins = holds.flatMap((one, i) => (one && holds[i - 1] !== true ? [i] : []))
      const above = { type: 'market' as const, threshold: { price_above: level / 100 } }
      expect(firings(above, prices(...cents.map((value) => value / 100)))).toEqual(begins)
      let last = cents[0] ?? 0
      const expected = cents.flatMap((value, i) => {
        if (Math.abs(value - last) < level) return []
        last = value
        return [i]
      })
      const change = { type: 'market' as const, threshold: { price_change: level / 100 } }
      expect(firings(change, prices(...cents.map((value) => value / 100)), (cents[0] ?? 0) / 100)).toEqual(expected)
    }),
  )
})
