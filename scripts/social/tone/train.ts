import { createFeaturizer, N_DENSE, type Lexicon } from '#text/sentiment/features.ts'
import { FEATURE_BITS } from '#text/sentiment/hash.ts'

import { labelSets, type Labelled, type LabelSetName } from './label_sets.ts'

/** A text as the trainer sees it. */
export type Example = { of: Labelled; n_words: number; indices: Int32Array; dense: Float64Array }

/** A linear decision before it is made small: a weight for each feature. */
export type Linear = { grams: Float32Array; dense: Float64Array }

export type HeadName = 'has_tone' | 'is_bull'

/** Chosen by cross-validation over the training splits. */
const settings = { epochs: 10, rate: 0.15, decay: 1e-5, first: 1e-2 }

export function toExamples(rows: readonly Labelled[], lexicon: Lexicon): Example[] {
  const featurize = createFeaturizer(lexicon)
  return rows.map((of) => {
    const { n, n_words, indices, dense } = featurize(of.text)
    return { of, n_words, indices: indices.slice(0, n), dense: dense.slice() }
  })
}

/** The examples that teach a head, with their answers and weights. Rare answers of a set weigh more, by the root. */
export function lessonsOf(
  head: HeadName,
  examples: readonly Example[],
): { example: Example; answer: 0 | 1; weight: number }[] {
  const taught = examples.filter(({ of: { set, label } }) =>
    head === 'is_bull' ? label !== 0 : labelSets[set as LabelSetName].hasNeutral,
  )
  const answerOf = ({ of: { label } }: Example): 0 | 1 =>
    head === 'is_bull' ? (label === 1 ? 1 : 0) : label === 0 ? 0 : 1
  const counts = new Map<string, number>()
  for (const example of taught) {
    for (const key of [example.of.set, `${example.of.set} ${answerOf(example)}`])
      counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return taught.map((example) => {
    const { set } = example.of
    const share = (counts.get(`${set} ${answerOf(example)}`) ?? 1) / (counts.get(set) ?? 1)
    return {
      example,
      answer: answerOf(example),
      weight: labelSets[set as LabelSetName].weight * Math.sqrt(0.5 / share),
    }
  })
}

/** Logistic regression by AdaGrad, with a fixed seed: the same lessons give the same weights. */
export function train(lessons: ReturnType<typeof lessonsOf>): Linear {
  const { epochs, rate, decay, first } = settings
  const linear: Linear = { grams: new Float32Array(1 << FEATURE_BITS), dense: new Float64Array(N_DENSE) }
  const squares = {
    grams: new Float32Array(1 << FEATURE_BITS).fill(first),
    dense: new Float64Array(N_DENSE).fill(first),
  }
  const order = lessons.map((_, n) => n)
  const random = seeded(1)
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random)
    for (const n of order) {
      const lesson = lessons[n]
      if (lesson === undefined) continue
      const { example, answer, weight } = lesson
      const { indices, n_words, dense } = example
      const error = (1 / (1 + Math.exp(-linearScore(linear, example))) - answer) * weight
      const [perWord, perLetter] = [1 / Math.sqrt(n_words + 1), 1 / Math.sqrt(indices.length - n_words + 1)]
      for (let at = 0; at < indices.length; at++) {
        step(linear.grams, squares.grams, indices[at] ?? 0, error * (at < n_words ? perWord : perLetter), decay, rate)
      }
      for (let at = 0; at < N_DENSE; at++) {
        if (dense[at] !== 0) step(linear.dense, squares.dense, at, error * (dense[at] ?? 0), 0, rate)
      }
    }
  }
  return linear
}

type Numbers = Float32Array | Float64Array

function step(weights: Numbers, squares: Numbers, at: number, slope: number, decay: number, rate: number): void {
  const gradient = slope + decay * (weights[at] ?? 0)
  const square = (squares[at] ?? 0) + gradient * gradient
  squares[at] = square
  weights[at] = (weights[at] ?? 0) - (rate * gradient) / Math.sqrt(square)
}

export function linearScore({ grams, dense: weights }: Linear, { indices, n_words, dense }: Example): number {
  let [words, letters, score] = [0, 0, 0]
  for (let at = 0; at < n_words; at++) words += grams[indices[at] ?? 0] ?? 0
  for (let at = n_words; at < indices.length; at++) letters += grams[indices[at] ?? 0] ?? 0
  for (let at = 0; at < N_DENSE; at++) score += (weights[at] ?? 0) * (dense[at] ?? 0)
  return score + words / Math.sqrt(n_words + 1) + letters / Math.sqrt(indices.length - n_words + 1)
}

/** Weights of 8 bits, and their scale. */
export function toWhole({ grams }: Linear): { scale: number; whole: Int8Array } {
  const scale = grams.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127
  return { scale, whole: Int8Array.from(grams, (weight) => Math.round(weight / scale)) }
}

/** Numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function shuffle(order: number[], random: () => number): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const [a, b] = [order[at] ?? 0, order[other] ?? 0]
    order[at] = b
    order[other] = a
  }
}
