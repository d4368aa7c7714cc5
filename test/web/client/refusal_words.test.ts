import { expect, test } from 'vitest'

import { refusalWords } from '#web/client/refusal_words.ts'

test.each([
  ['items.0: invalid value "x"; expected an EVM address.', 'Item 1: “x” is not accepted. Expected is an EVM address.'],
  ['items.11: invalid value 5; expected a text', 'Item 12: “5” is not accepted. Expected is a text.'],
  ['address: missing; expected an EVM address.', 'The address is needed. Expected is an EVM address.'],
  ['market_id: empty; expected a market.', 'The market id is needed. Expected is a market.'],
  [
    'address: invalid value "a; b"; expected an EVM address.',
    'address: invalid value "a; b"; expected an EVM address.',
  ],
  ['No such watchlist.', 'No such watchlist.'],
])('%s', (message, words) => {
  expect(refusalWords(message)).toBe(words)
})
