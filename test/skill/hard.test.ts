import { beforeAll, expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { boundsOf, type Bound } from './hard_bounds.ts'
import { judgeHard, type HardVerdict } from './hard_judge.ts'

const seeds = Array.from({ length: sized(2, 3, 8) }, (_, n) => n + 1)
let bounds: Bound[] = []

/** Two worlds at a time: while one is scored the other one is made. `npm run soak -- hard` scores 20 and more. */
beforeAll(async () => {
  const left = [...seeds]
  const verdicts: HardVerdict[] = []
  const work = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) verdicts.push(await judgeHard(seed, 1))
  }
  await Promise.all([work(), work()])
  bounds = boundsOf(verdicts)
}, 1_800_000)

/** Each bound with the least number of figures that it compares in a world, or in all of them. */
test.each([
  ['false discoveries among sharps', 8 * seeds.length],
  ['power', 1],
  ['coverage of intervals', 20],
  ['recall of wash trades', 1],
  ['precision of wash trades', 1],
  ['bias of edges', 14],
  ['guards', 2 * seeds.length],
])(`%s, in ${seeds.length} hard worlds, lies within its bounds`, (name, least) => {
  const bound = bounds.find((each) => each.name === name)
  expect(bound?.n).toBeGreaterThanOrEqual(least)
  expect(bound?.breaches).toEqual([])
})
