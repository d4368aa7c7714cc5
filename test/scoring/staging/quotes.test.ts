import { describe, expect, test } from 'vitest'

import { clock, cut, run } from '#test/scoring/model.ts'

const after = '2026-11-20 12:00:00.000001'

describe('quotes', () => {
  test('are what was seen up to the clock', async () => {
    const rows = [clock, after].map((ts) => ({ market_id: 'polymarket:a', ts, bid: 0.4 }))
    expect(cut(await run('staging.quotes', { 'lake.quotes': rows }), 'ts', 'bid', 'ask')).toEqual([[clock, 0.4, null]])
  })
})
