import { describe, expect, test } from 'vitest'

import { clock, cut, run } from '#test/scoring/model.ts'

const after = '2026-11-20 12:00:00.000001'

describe('activity', () => {
  test('has the covered rows that are known at the clock, without system addresses and combos', async () => {
    const row = { venue: 'polymarket', trader: 'ann', ts: clock, kind: 'split', source: 'accounts' }
    const rows = [
      { ...row, market_id: `polymarket:0x${'a'.repeat(64)}` },
      { ...row, kind: 'merge', ts: after },
      { ...row, trader: '0xsystem' },
      { ...row, kind: 'redeem', market_id: `polymarket:0x03${'a'.repeat(60)}` },
      { ...row, kind: 'merge', market_id: `polymarket:0x02${'a'.repeat(60)}` },
      { ...row, kind: 'reward', market_id: '' },
      { ...row, trader: 'bob', kind: 'merge' },
    ]
    const stretch = { dataset: 'activity', source: 'accounts', part: 'polymarket', from_at: '1970-01-01', to_at: after }
    const given = {
      'lake.activity': rows,
      'staging.system_addresses': [{ address: '0xsystem', label: 'exchange' }],
      'staging.coverage_intervals': [
        { ...stretch, key: 'ann' },
        { ...stretch, key: '0xsystem' },
        // Stored as its process died: the coverage of before is still the one that counts.
        { ...stretch, key: 'bob', to_at: clock },
      ],
    }
    expect(cut(await run('staging.activity', given), 'trader', 'kind')).toEqual([
      ['ann', 'merge'],
      ['ann', 'reward'],
      ['ann', 'split'],
    ])
  })

  test('of Limitless has the cash of a split or merge as its sets; other venues have the size', async () => {
    const row = { trader: 'ann', ts: clock, market_id: '', size: 21.080913, cash_usd: 10.540456, source: 'accounts' }
    const rows = ['polymarket', 'limitless'].flatMap((venue) =>
      ['convert', 'merge', 'split'].map((kind) => ({ ...row, venue, kind })),
    )
    const stretch = { dataset: 'activity', source: 'accounts', key: 'ann', from_at: '1970-01-01', to_at: after }
    const given = {
      'lake.activity': rows,
      'staging.coverage_intervals': ['polymarket', 'limitless'].map((part) => ({ ...stretch, part })),
    }
    expect(cut(await run('staging.activity', given), 'venue', 'kind', 'size')).toEqual([
      ['limitless', 'convert', 21.080913],
      ['limitless', 'merge', 10.540456],
      ['limitless', 'split', 10.540456],
      ['polymarket', 'convert', 21.080913],
      ['polymarket', 'merge', 21.080913],
      ['polymarket', 'split', 21.080913],
    ])
  })
})
