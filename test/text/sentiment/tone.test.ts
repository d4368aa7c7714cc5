import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { Labelled } from '#scripts/social/tone/label_sets.ts'
import { parseLexicon } from '#scripts/social/tone/lexicon.ts'
import { lessonsOf, toExamples, train, linearScore, toWhole } from '#scripts/social/tone/train.ts'
import { sized } from '#test/run/sized.ts'
import { hashOf, hashPair } from '#text/sentiment/hash.ts'
import { createTone, labelOf, shippedWeights } from '#text/sentiment/tone.ts'
import { decodeWeights, encodeWeights } from '#text/sentiment/weights.ts'

const weights = shippedWeights()
const tone = createTone(weights)

test.each([
  ['$BTC breaking out, huge rally coming, adding more here 🚀', 'bullish'],
  ['Bitcoin surges to record high as ETF inflows grow', 'bullish'],
  ['$ETH dumping hard, shorting this junk to zero', 'bearish'],
  ['Exchange hacked: millions stolen, token plunges 40%', 'bearish'],
  ['The conference takes place in Denver next week', 'neutral'],
  ['What time does the market open on Monday?', 'neutral'],
])('%s is %s', (text, label) => {
  expect(tone(text).label).toBe(label)
})

test('a text without words has no tone', () => {
  expect(tone(' ... ')).toEqual({ bull_rate: 0, bear_rate: 0, label: 'neutral' })
})

test('the asset that a text names does not change its tone', () => {
  expect(tone('Selling all my bitcoin')).toEqual(tone('Selling all my doge'))
  expect(tone('$BTC to the moon')).toEqual(tone('$SHIB to the moon'))
})

test('rates are probabilities, and equal texts have equal ones', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const { bull_rate, bear_rate } = tone(text)
      expect(Math.min(bull_rate, bear_rate)).toBeGreaterThanOrEqual(0)
      expect(bull_rate + bear_rate).toBeLessThanOrEqual(1)
      tone('another text between them')
      expect(tone(text)).toMatchObject({ bull_rate, bear_rate })
    }),
    { numRuns: sized(40, 500, 2_000) },
  )
})

test('the decision is the likeliest of the three', () => {
  expect(labelOf({ has_tone: -3, is_bull: 3 })).toBe('neutral')
  expect(labelOf({ has_tone: 0.5, is_bull: 0 })).toBe('neutral')
  expect(labelOf({ has_tone: 3, is_bull: -1 })).toBe('bearish')
  expect(labelOf({ has_tone: 3, is_bull: 1 })).toBe('bullish')
})

test('the shipped file is what its contents encode to, and a file of other features is rejected', () => {
  const file = readFileSync(new URL('../../../text/sentiment/weights.bin', import.meta.url))
  expect(encodeWeights(decodeWeights(file)).equals(file)).toBe(true)
  const header = JSON.stringify({ has_tone: { dense: [] }, is_bull: { dense: [] }, lean: 0, n_lexicon: 0 })
  expect(() => decodeWeights(brotliCompressSync(`${header}\n1234`))).toThrow(
    'weights: 76 bytes for other features; expected 524288 weights of n-grams',
  )
})

test('the trainer learns words that decide, and learns the same twice', () => {
  const rows: Labelled[] = ['rise', 'gain', 'sun', 'fall', 'loss', 'rain'].flatMap((word, n) =>
    Array.from({ length: 20 }, (_, copy) => ({
      set: 'stocktwits',
      text: `the ${word} of day ${'abcdefghijklmnopqrst'[copy]}`,
      label: n < 3 ? 1 : -1,
      is_test: false,
    })),
  )
  const examples = toExamples(rows, new Map())
  const linear = train(lessonsOf('is_bull', examples))
  expect(Buffer.from(train(lessonsOf('is_bull', examples)).grams.buffer).equals(Buffer.from(linear.grams.buffer))).toBe(
    true,
  )
  for (const example of toExamples(rows, new Map())) {
    expect(Math.sign(linearScore(linear, example))).toBe(example.of.label)
  }
  const { scale, whole } = toWhole(linear)
  const most = linear.grams.reduce((gap, weight, n) => Math.max(gap, Math.abs(weight - scale * (whole[n] ?? 0))), 0)
  expect(most).toBeLessThanOrEqual(scale * 0.51)
})

test('the lexicon has words and pairs by their hashes', () => {
  const lexicon = parseLexicon(
    'keyword,sw,p,n\nbig bounce,0.877,3.0,1.0\n"moon",0.9,3.0,1.0\none two three,0.1,1.0,1.0\n',
  )
  expect([...lexicon]).toEqual([
    [hashPair(hashOf('big'), hashOf('bounce')), 0.877],
    [hashOf('moon'), 0.9],
  ])
  expect(() => parseLexicon('keyword,sw\nmoon')).toThrow('lexicon: line 2; expected keyword,sw,positive,negative')
})
