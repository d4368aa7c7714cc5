import { describe, expect, test } from 'vitest'

import { clock, cut, run } from '#test/scoring/model.ts'

const after = '2026-11-20 12:00:00.000001'

describe('activity', () => {
  test('is what is known at the clock, without system addresses', async () => {
    const rows = [
      { venue: 'polymarket', trader: 'ann', ts: clock, kind: 'split' },
      { venue: 'polymarket', trader: 'ann', ts: after, kind: 'merge' },
      { venue: 'polymarket', trader: '0xsystem', ts: clock, kind: 'split' },
    ]
    const given = { 'lake.activity': rows, 'staging.system_addresses': [{ address: '0xsystem', label: 'exchange' }] }
    expect(cut(await run('staging.activity', given), 'trader', 'kind')).toEqual([['ann', 'split']])
  })
})
