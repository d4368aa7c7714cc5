import { labelOf } from '#text/sentiment/tone.ts'

import { macroF1 } from './evaluate.ts'
import { foldOf } from './label_sets.ts'
import { lessonsOf, linearScore, train, type Example, type HeadName } from './train.ts'

const N_FOLDS = 4

/** The scores of each example by models that have not seen its fold. */
export function crossScores(head: HeadName, examples: readonly Example[]): Map<Example, number> {
  const scores = new Map<Example, number>()
  for (let fold = 0; fold < N_FOLDS; fold++) {
    const isInFold = ({ of }: Example): boolean => foldOf(of.text, N_FOLDS) === fold
    const linear = train(
      lessonsOf(
        head,
        examples.filter((example) => !isInFold(example)),
      ),
    )
    for (const example of examples.filter(isInFold)) scores.set(example, linearScore(linear, example))
  }
  return scores
}

/** The line from scores to log odds of a head, by cross-validation (Platt). Each set weighs the same. */
export function calibrate(
  head: HeadName,
  examples: readonly Example[],
  scores: ReadonlyMap<Example, number>,
): { slope: number; offset: number } {
  const lessons = lessonsOf(head, examples)
  const sizes = new Map<string, number>()
  for (const { example } of lessons) sizes.set(example.of.set, (sizes.get(example.of.set) ?? 0) + 1)
  return fitLine(
    lessons.map(({ example, answer }) => ({
      score: scores.get(example) ?? 0,
      answer,
      weight: 1 / ((sizes.get(example.of.set) ?? 1) * sizes.size),
    })),
  )
}

const leans = [-0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4]

/**
 * The number to add to the score of `has_tone` before the decision, so that the mean macro-F1 of the sets with neutral
 * labels is highest in cross-validation.
 */
export function chooseLean(
  examples: readonly Example[],
  has_tone: ReadonlyMap<Example, number>,
  is_bull: ReadonlyMap<Example, number>,
): number {
  const taught = lessonsOf('has_tone', examples).map(({ example }) => example)
  const sets = [...new Set(taught.map(({ of }) => of.set))]
  const meanOf = (lean: number): number => {
    const scores = sets.map((set) => {
      const pairs = taught
        .filter(({ of }) => of.set === set)
        .map((example): [number, number] => {
          const label = labelOf({ has_tone: (has_tone.get(example) ?? 0) + lean, is_bull: is_bull.get(example) ?? 0 })
          return [example.of.label, label === 'neutral' ? 0 : label === 'bullish' ? 1 : -1]
        })
      return macroF1(pairs, [-1, 0, 1])
    })
    return scores.reduce((sum, score) => sum + score, 0) / sets.length
  }
  return leans.reduce((best, lean) => (meanOf(lean) > meanOf(best) ? lean : best))
}

/** Newton's method for a logistic regression on one number. */
function fitLine(points: readonly { score: number; answer: 0 | 1; weight: number }[]): {
  slope: number
  offset: number
} {
  let [slope, offset] = [1, 0]
  for (let round = 0; round < 25; round++) {
    let [g0, g1, h00, h01, h11] = [0, 0, 1e-9, 0, 1e-9]
    for (const { score, answer, weight } of points) {
      const chance = 1 / (1 + Math.exp(-(slope * score + offset)))
      const error = weight * (chance - answer)
      const spread = weight * chance * (1 - chance)
      g0 += error
      g1 += error * score
      h00 += spread
      h01 += spread * score
      h11 += spread * score * score
    }
    const determinant = h00 * h11 - h01 * h01
    offset -= (h11 * g0 - h01 * g1) / determinant
    slope -= (h00 * g1 - h01 * g0) / determinant
  }
  return { slope: Number(slope.toFixed(6)), offset: Number(offset.toFixed(6)) }
}
