import type { Lexicon } from '#text/sentiment/features.ts'
import { FEATURE_BITS } from '#text/sentiment/hash.ts'
import type { Weights } from '#text/sentiment/weights.ts'

import { calibrate, chooseLean, crossScores } from './calibrate.ts'
import { lessonsOf, toWhole, train, type Example } from './train.ts'

/** Trains both heads, calibrates them by cross-validation, and rounds their weights to 8 bits. */
export function trainWeights(examples: readonly Example[], lexicon: Lexicon): Omit<Weights, 'version'> {
  const [tone, bull] = [train(lessonsOf('has_tone', examples)), train(lessonsOf('is_bull', examples))]
  const [toneScores, bullScores] = [crossScores('has_tone', examples), crossScores('is_bull', examples)]
  const [toneWhole, bullWhole] = [toWhole(tone), toWhole(bull)]
  const grams = new Int8Array(2 << FEATURE_BITS)
  for (let n = 0; n < 1 << FEATURE_BITS; n++) {
    grams[2 * n] = toneWhole.whole[n] ?? 0
    grams[2 * n + 1] = bullWhole.whole[n] ?? 0
  }
  return {
    has_tone: {
      scale: toneWhole.scale,
      dense: Array.from(tone.dense, rounded),
      ...calibrate('has_tone', examples, toneScores),
    },
    is_bull: {
      scale: bullWhole.scale,
      dense: Array.from(bull.dense, rounded),
      ...calibrate('is_bull', examples, bullScores),
    },
    lean: chooseLean(examples, toneScores, bullScores),
    grams,
    lexicon,
  }
}

const rounded = (weight: number): number => Number(weight.toFixed(6))
