import { describe, expect, test } from 'vitest'

import { clock, cut, run } from '#test/scoring/model.ts'

const after = '2026-11-20 12:00:00.000001'

describe('the tape', () => {
  const market_id = `polymarket:0x${'a'.repeat(64)}`
  const fill = (ts: string, role: string | null, more: Record<string, string> = {}) => ({
    venue: 'polymarket',
    market_id,
    ts,
    role,
    trader: 'ann',
    ...more,
  })

  test('is both sides of what the markets show up to the clock: not accounts, which have no roles, nor combos', async () => {
    const rows = [
      fill(clock, 'taker'),
      fill(clock, 'maker', { trader: 'bob' }),
      fill(clock, null, { trader: 'cid' }),
      fill(clock, 'taker', { trader: 'dan', market_id: market_id.slice(0, -2) }),
      fill(clock, 'taker', { trader: 'eve', market_id: 'limitless:rain', venue: 'limitless' }),
      fill(after, 'taker', { trader: 'fay' }),
    ]
    expect(cut(await run('staging.tape', { 'lake.fills': rows }), 'trader', 'role')).toEqual([
      ['eve', 'taker'],
      ['ann', 'taker'],
      ['bob', 'maker'],
    ])
  })
})
