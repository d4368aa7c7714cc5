import { expect, test } from 'vitest'

import { concept } from '#api/chat/reading/concepts/concept.ts'
import { stemsOf } from '#api/chat/reading/concepts/stems.ts'
import { isOnDay, periodOf } from '#api/chat/reading/periods.ts'
import { limitOf } from '#api/chat/reading/quantity.ts'

test.each([
  ['lose', ['loses', 'losing', 'lost', 'lose']],
  ['climb', ['climbs', 'climbed', 'climbing']],
  ['drop', ['drops', 'dropped', 'dropping']],
  ['wash trade', ['washes trades', 'washing trades', 'washed trading']],
])('the phrase %s is found in each form of its words, and in no other word', (phrase, forms) => {
  const means = concept(`something else, ${phrase}`)
  for (const form of forms) expect(means(stemsOf(`which coins ${form}, please?`)), form).toBe(true)
  expect(means(stemsOf('which coins close'))).toBe(false)
})

test('`a|b` is one of two words, and `~` up to two words', () => {
  const means = concept('price of yes|no, highest ~ odds')
  const texts = ['the price of no', 'highest odds', 'highest of all odds', 'highest of all the odds', 'price of it']
  expect(texts.map((text) => means(stemsOf(text)))).toEqual([true, true, true, false, false])
})

test.each([
  ['over ninety days', 90],
  ['the last thirty-one days', 31],
  ['ytd', 365],
  ['since monday', 3],
  ['since sept 5', 3],
  ['since september 5', 3],
  ['year to date', 365],
  ['these days', null],
  ['the past fortnight', 14],
])('%s is a period of %s days', (text, days) => {
  expect(periodOf(text)).toBe(days)
})

test.each(['augur', 'decentraland', 'marinade'])('%s before a number is no day', (name) => {
  expect([isOnDay(`attention on ${name} 24 hours`), periodOf(`attention since ${name} 24`)]).toEqual([false, null])
})

test.each([
  ['top twenty five coins', 25],
  ['wallets by volume, three of them', 3],
  ['coins that climbed the most', null],
  ['the coin with the steepest climb', 1],
  ['3 longest shots on polymarket', 3],
])('%s asks for %s rows', (text, limit) => {
  expect(limitOf(text)).toBe(limit)
})
