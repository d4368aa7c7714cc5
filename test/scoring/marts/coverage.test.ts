import { describe, expect, test } from 'vitest'

import { run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

describe('coverage', () => {
  test('counts units by state, and tells how far they reach', async () => {
    const unit = (state: string, more: Row = {}): Row => ({
      dataset: 'fills',
      part: 'polymarket',
      unit: `${state} ${JSON.stringify(more)}`,
      state,
      n_rows: 10,
      from_at: '1970-01-01',
      ...more,
    })
    const rows = await run('marts.coverage', {
      'lake.coverage': [
        unit('done', { from_at: '2026-01-01', to_at: '2026-02-01' }),
        unit('done', { from_at: '2026-03-01', to_at: '2026-04-01' }),
        unit('head', { to_at: '2026-05-01' }),
        ...['missing', 'unavailable', 'quarantined', 'unproved'].map((state) => unit(state, { n_rows: 0 })),
        unit('done', { dataset: 'markets', n_rows: 7 }),
        unit('done', { part: 'limitless', n_rows: 9 }),
      ],
    })
    expect(rows).toEqual([
      expect.objectContaining({
        kind: 'venue',
        part: 'limitless',
        dataset: 'fills',
        n_done: 1,
        n_rows: 9,
        from_at: null,
      }),
      {
        kind: 'venue',
        part: 'polymarket',
        dataset: 'fills',
        n_done: 2,
        n_head: 1,
        n_missing: 1,
        n_unavailable: 1,
        n_quarantined: 1,
        n_unproved: 1,
        n_rows: 30,
        from_at: '2026-01-01 00:00:00',
        to_at: '2026-05-01 00:00:00',
      },
      expect.objectContaining({ part: 'polymarket', dataset: 'markets', n_done: 1, n_rows: 7 }),
    ])
  })
})
