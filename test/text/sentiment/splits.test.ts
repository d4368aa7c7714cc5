import { readFileSync } from 'node:fs'

import { beforeAll, describe, expect, test } from 'vitest'

import { evaluate, tableOf, type Result } from '#scripts/social/tone/evaluate.ts'
import { readLabelSets } from '#scripts/social/tone/label_sets.ts'
import { isSocialRecorded, socialDir } from '#test/recordings/social/posts.ts'
import { shippedWeights } from '#text/sentiment/tone.ts'

describe.runIf(isSocialRecorded)('the shipped weights on texts that they were not trained on', () => {
  let results: Result[]
  beforeAll(async () => {
    results = evaluate(await readLabelSets(socialDir), shippedWeights())
  })

  test.each([
    ['pyfin', 0.64],
    ['zeroshot', 0.73],
    ['cryptolin', 0.58],
    ['stocktwits', 0.7],
  ])('reach a macro-F1 on %s of %f, and 0.12 more than VADER', (name, least) => {
    const result = results.find(({ set }) => set === name)
    if (result === undefined) throw new Error(`no test split of ${name}`)
    expect(result.model).toBeGreaterThanOrEqual(least)
    expect(result.model - result.vader).toBeGreaterThanOrEqual(0.12)
  })

  test('have the results that the model card shows', () => {
    const words = (text: string): string => text.replaceAll(/[-\s]+/g, ' ')
    const card = readFileSync(new URL('../../../text/sentiment/MODEL.md', import.meta.url), 'utf8')
    expect(words(card)).toContain(words(tableOf(results)))
  })
})
