import { expect, test } from 'vitest'

import { createAnnotator } from '#text/annotate.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'
import { createMatcher } from '#text/matcher/matcher.ts'
import { createTone, shippedWeights } from '#text/sentiment/tone.ts'

const toneOf = createTone(shippedWeights())
const annotate = createAnnotator(createMatcher(assetsAt(shippedAssets(), Date.UTC(2025, 5, 1) * 1000)), toneOf)

test('a post is annotated once for each asset, by its strongest mention and with the tone of its text', () => {
  const text = 'Solana, $SOL and SOL rally; selling my bitcoin'
  const { bull_rate, bear_rate } = toneOf(text)
  expect(annotate({ text, is_crypto: true })).toEqual([
    { asset_id: 'solana', tier: 2, confidence: 0.98, n_assets: 2, bull_rate, bear_rate },
    { asset_id: 'bitcoin', tier: 3, confidence: 0.95, n_assets: 2, bull_rate, bear_rate },
  ])
})

test('the label of the author wins, and other labels do not count', () => {
  const rates = (native_label: string | null) =>
    annotate({ text: 'bitcoin crashes', is_crypto: true, native_label }).map((of) => [of.bull_rate, of.bear_rate])
  expect(rates('Bullish')).toEqual([[1, 0]])
  expect(rates('Bearish')).toEqual([[0, 1]])
  const { bull_rate, bear_rate } = toneOf('bitcoin crashes')
  for (const label of [null, 'Hold']) expect(rates(label)).toEqual([[bull_rate, bear_rate]])
})

test('a post without an asset has no annotation', () => {
  expect(annotate({ text: 'good morning', is_crypto: true, native_label: 'Bullish' })).toEqual([])
})
