import { readFileSync } from 'node:fs'

import { createFeaturizer, type Features } from './features.ts'
import { decodeWeights, type Head, type Weights } from './weights.ts'

/**
 * The market tone of a text. The rates are calibrated probabilities; the rest to 1 is the probability of no tone.
 * `label` is the decision, neutral where the model abstains.
 */
export type Tone = { bull_rate: number; bear_rate: number; label: 'bullish' | 'neutral' | 'bearish' }

/** The raw scores of the two heads, log odds before calibration. */
export type Scores = { has_tone: number; is_bull: number }

/** The weights that the repository ships; MODEL.md describes them. */
export const shippedWeights = (): Weights => decodeWeights(readFileSync(new URL('weights.bin', import.meta.url)))

/** Makes the function from texts to tones. A text without words has no tone. */
export function createTone(weights: Weights): (text: string) => Tone {
  const featurize = createFeaturizer(weights.lexicon)
  const { has_tone, is_bull, lean } = weights
  return (text) => {
    const features = featurize(text)
    if (features.n_words === 0) return { bull_rate: 0, bear_rate: 0, label: 'neutral' }
    const scores = scoresOf(features, weights)
    const tone_rate = chance(has_tone.slope * scores.has_tone + has_tone.offset)
    const bull_share = chance(is_bull.slope * scores.is_bull + is_bull.offset)
    return {
      bull_rate: tone_rate * bull_share,
      bear_rate: tone_rate * (1 - bull_share),
      label: labelOf({ ...scores, has_tone: scores.has_tone + lean }),
    }
  }
}

/** Each group of n-grams is divided by the root of its size, so that long texts do not shout. */
export function scoresOf({ n, n_words, indices, dense }: Features, { has_tone, is_bull, grams }: Weights): Scores {
  let [toneWords, bullWords, toneLetters, bullLetters] = [0, 0, 0, 0]
  for (let at = 0; at < n_words; at++) {
    const gram = 2 * (indices[at] ?? 0)
    toneWords += grams[gram] ?? 0
    bullWords += grams[gram + 1] ?? 0
  }
  for (let at = n_words; at < n; at++) {
    const gram = 2 * (indices[at] ?? 0)
    toneLetters += grams[gram] ?? 0
    bullLetters += grams[gram + 1] ?? 0
  }
  const [perWord, perLetter] = [1 / Math.sqrt(n_words + 1), 1 / Math.sqrt(n - n_words + 1)]
  return {
    has_tone: has_tone.scale * (toneWords * perWord + toneLetters * perLetter) + denseScore(dense, has_tone),
    is_bull: is_bull.scale * (bullWords * perWord + bullLetters * perLetter) + denseScore(dense, is_bull),
  }
}

function denseScore(dense: Float64Array, head: Head): number {
  let score = 0
  for (let n = 0; n < dense.length; n++) score += (dense[n] ?? 0) * (head.dense[n] ?? 0)
  return score
}

/** The likeliest of three. Scores were trained with balanced classes, so that rare ones are decided for too. */
export function labelOf({ has_tone, is_bull }: Scores): Tone['label'] {
  const [tone, bull] = [chance(has_tone), chance(is_bull)]
  const likelier = Math.max(bull, 1 - bull)
  if (1 - tone >= tone * likelier) return 'neutral'
  return bull > 0.5 ? 'bullish' : 'bearish'
}

const chance = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))
