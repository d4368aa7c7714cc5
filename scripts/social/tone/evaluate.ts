// @ts-expect-error: the package has no types.
import untyped from 'vader-sentiment'

import { createFeaturizer } from '#text/sentiment/features.ts'
import { createTone, scoresOf } from '#text/sentiment/tone.ts'
import type { Weights } from '#text/sentiment/weights.ts'

import type { Labelled } from './label_sets.ts'

/** VADER's score of a text, from -1 to 1. */
type Vader = { SentimentIntensityAnalyzer: { polarity_scores: (text: string) => { compound: number } } }
const { SentimentIntensityAnalyzer: vader } = untyped as Vader

/** Macro-F1 of the model and of VADER on the test split of a set. */
export type Result = { set: string; n: number; n_classes: 2 | 3; model: number; vader: number; error: number }

/**
 * Evaluates each test split. Where a set has no neutral label, both must decide for bullish or bearish: the model by
 * the sign of its second head, VADER by the sign of its compound score. `error` is the expected calibration error of
 * the rates, in ten bins, of the likeliest class; of two classes that of the share of bullish.
 */
export function evaluate(rows: readonly Labelled[], weights: Weights): Result[] {
  const tests = groupBy(
    rows.filter(({ is_test }) => is_test),
    ({ set }) => set,
  )
  const tone = createTone(weights)
  const featurize = createFeaturizer(weights.lexicon)
  return [...tests].map(([set, ofSet]) => {
    const hasNeutral = ofSet.some(({ label }) => label === 0)
    const judged = ofSet.map(({ text, label }) => {
      const scores = scoresOf(featurize(text), weights)
      const { bull_rate, bear_rate, label: guessed } = tone(text)
      const rates = hasNeutral ? [bear_rate, 1 - bull_rate - bear_rate, bull_rate] : twoRates(bull_rate, bear_rate)
      const { compound } = vader.polarity_scores(text)
      return {
        label,
        model: hasNeutral ? numberOf(guessed) : signOf(scores.is_bull),
        vader: hasNeutral ? threeOf(compound) : signOf(compound),
        rate: Math.max(...rates),
        guess: rates.indexOf(Math.max(...rates)) - 1,
      }
    })
    const classes = hasNeutral ? [-1, 0, 1] : [-1, 1]
    return {
      set,
      n: ofSet.length,
      n_classes: hasNeutral ? 3 : 2,
      model: macroF1(
        judged.map(({ label, model }) => [label, model]),
        classes,
      ),
      vader: macroF1(
        judged.map(({ label, vader: guess }) => [label, guess]),
        classes,
      ),
      error: calibrationError(judged.map(({ label, rate, guess }) => [rate, label === guess])),
    }
  })
}

const numberOf = (label: 'bullish' | 'neutral' | 'bearish'): number => ({ bullish: 1, neutral: 0, bearish: -1 })[label]

const signOf = (score: number): number => (score >= 0 ? 1 : -1)
/** VADER's own thresholds. */
const threeOf = (compound: number): number => (Math.abs(compound) < 0.05 ? 0 : Math.sign(compound))

const twoRates = (bull: number, bear: number): number[] => [bear / (bull + bear || 1), 0, bull / (bull + bear || 1)]

/** The mean over the classes of the harmonic mean of precision and recall, from pairs of label and guess. */
export function macroF1(pairs: readonly (readonly [number, number])[], classes: readonly number[]): number {
  const scores = classes.map((of) => {
    const right = pairs.filter(([label, guess]) => label === of && guess === of).length
    const either = pairs.filter(([label]) => label === of).length + pairs.filter(([, guess]) => guess === of).length
    return either === 0 ? 0 : (2 * right) / either
  })
  return scores.reduce((sum, score) => sum + score, 0) / classes.length
}

function calibrationError(points: readonly (readonly [number, boolean])[]): number {
  const bins = groupBy(points, ([rate]) => Math.min(9, Math.floor(rate * 10)))
  const gaps = [...bins.values()].map((bin) => {
    const mean = bin.reduce((sum, [rate]) => sum + rate, 0) / bin.length
    return (bin.length / points.length) * Math.abs(mean - bin.filter(([, isRight]) => isRight).length / bin.length)
  })
  return gaps.reduce((sum, gap) => sum + gap, 0)
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? []
    group.push(item)
    groups.set(keyOf(item), group)
  }
  return groups
}

/** The results as a table of Markdown. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map(
    ({ set, n, n_classes, model, vader: base, error }) =>
      `| ${set} | ${n_classes} | ${n.toLocaleString('en')} | ${model.toFixed(3)} | ${base.toFixed(3)} | ${error.toFixed(3)} |`,
  )
  return [
    '| test split | classes | texts | macro-F1 | VADER | calibration error |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
