import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { assertNothingIsLost } from './lying_property.ts'

test('a node that leaves out logs loses no row of a complete unit', async () => {
  const { n_complete, n_open } = await assertNothingIsLost(sized(100, 1_000, 2_000))
  expect(n_complete).toBeGreaterThan(n_open / 4)
  expect(n_open).toBeGreaterThan(0)
})
