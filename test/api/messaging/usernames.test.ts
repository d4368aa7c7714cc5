import { expect, test } from 'vitest'

import { telegram } from '#api/messaging/telegram.ts'

test.each([
  ['ann_b', 'ann_b'],
  ['@Ann_B', 'Ann_B'],
  ['ann', null],
  ['_ann', null],
  ['1ann', null],
  ['ann b', null],
  ['@@anna', null],
  ['ann\n', null],
  ['ann_b\n', null],
  ['a'.repeat(32), 'a'.repeat(32)],
  ['a'.repeat(33), null],
  ['änna', null],
  ["anna' or '1", null],
])('the user name of %j is %j', (text, handle) => {
  expect(telegram.parseUsername(text)).toBe(handle)
})
