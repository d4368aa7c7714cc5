import { expect, test } from 'vitest'

import { build } from '#test/scoring/core/chains/lake.ts'
import { shownOf, stretch } from '#test/scoring/core/chains/stretches.ts'

test('wallet_histories reach from the newest stretch to the first gap', async () => {
  const { 'marts.wallet_histories': histories } = await build(['marts.wallet_histories'], {
    'lake.coverage': [
      stretch('0xa', 0, 100),
      stretch('0xa', 100, 200, { state: 'head', checked_at: '2026-03-02' }),
      stretch('0xb', 0, 100),
      stretch('0xb', 200, 300),
      stretch('0xb', 300, 400, { state: 'unverified', reason_code: 'unproved' }),
      stretch('0xc', 0, 100),
      stretch('0xc', 100, 200, { state: 'unverified', reason_code: 'unproved' }),
      stretch('0xd', 100, 200, { state: 'unverified', reason_code: 'budget', resume: '{"cut":130,"from_s":7}' }),
      stretch('0xd', 200, 300),
    ],
  })
  expect(shownOf(histories, 'address', 'since_block', 'to_block', 'since_at', 'read_at', 'state')).toEqual([
    '0xa 0 200 null 2026-03-02 00:00:00 complete',
    '0xb 200 400 1970-01-01 00:20:00 2026-03-01 00:00:00 growing',
    '0xc 0 200 null 2026-03-01 00:00:00 unproved',
    '0xd 130 300 1970-01-01 00:00:07 2026-03-01 00:00:00 budget',
  ])
})
