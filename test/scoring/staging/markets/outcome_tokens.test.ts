import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('tokens have the market of its description or of its condition, and of both once', async () => {
  const given = {
    'staging.markets': [
      { market_id: 'polymarket:a', token_ids: ['1', '2'] },
      { market_id: 'limitless:b', token_ids: [''] },
    ],
    'lake.conditions': [
      { market_id: 'polymarket:a', token_ids: ['1', '2'], ts: '2026-01-01' },
      { market_id: 'polymarket:c', token_ids: ['3', '4'], ts: '2026-01-02' },
    ],
  }
  expect(cut(await run('staging.outcome_tokens', given), 'token_id', 'market_id', 'outcome')).toEqual([
    ['1', 'polymarket:a', 0],
    ['2', 'polymarket:a', 1],
    ['3', 'polymarket:c', 0],
    ['4', 'polymarket:c', 1],
  ])
})
