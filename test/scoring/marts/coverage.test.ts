import { describe, expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

describe('coverage', () => {
  test('counts units by state, and reports how far they reach', async () => {
    const unit = (state: string, more: Row = {}): Row => ({
      dataset: 'fills',
      part: 'polymarket',
      unit: `${state} ${JSON.stringify(more)}`,
      state,
      n_rows: 10,
      from_at: '1970-01-01',
      ...more,
    })
    const all = await run('marts.coverage', {
      'core.chains': [{ chain: 'solana' }],
      'lake.coverage': [
        unit('done', { from_at: '2026-01-01', to_at: '2026-02-01' }),
        unit('done', { from_at: '2026-03-01', to_at: '2026-04-01' }),
        unit('head', { to_at: '2026-05-01' }),
        ...['missing', 'unavailable', 'quarantined', 'unverified'].map((state) => unit(state, { n_rows: 0 })),
        unit('done', { dataset: 'markets', n_rows: 7 }),
        unit('done', { part: 'limitless', n_rows: 9 }),
        unit('done', { part: 'solana', dataset: 'swaps', from_at: null }),
      ],
    })
    const [chains, rows] = ['chain', 'venue'].map((kind) => all.filter((row) => row['kind'] === kind))
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
        n_unverified: 1,
        n_rows: 30,
        from_at: '2026-01-01 00:00:00',
        to_at: '2026-05-01 00:00:00',
      },
      expect.objectContaining({ part: 'polymarket', dataset: 'markets', n_done: 1, n_rows: 7 }),
    ])
    expect(chains).toEqual([expect.objectContaining({ part: 'solana', n_done: 1, from_at: null, to_at: null })])
  })

  test('has the instants of the stored blocks where units have numbers of blocks', async () => {
    const block = { chain: 'base', is_exact: true }
    const unit = { dataset: 'swaps', part: 'base', unit: 'a', state: 'done', n_rows: 1, from_block: 5, to_block: 9 }
    const rows = await run('marts.coverage', {
      'core.chains': [{ chain: 'base' }],
      'lake.blocks': [
        { ...block, block: 8, ts: '2026-02-02' },
        { ...block, block: 5, ts: '2026-02-01' },
      ],
      'lake.coverage': [unit, { ...unit, dataset: 'user_operations', n_rows: 0 }],
    })
    expect(cut(rows, 'dataset', 'from_at', 'to_at')).toEqual([
      ['swaps', '2026-02-01 00:00:00', '2026-02-02 00:00:00'],
      ['user_operations', null, null],
    ])
  })

  test('separates chains, venues and social sources, and leaves out what is our own', async () => {
    const unit = (part: string, dataset: string): Row => ({ part, dataset, unit: dataset, state: 'done', n_rows: 1 })
    const rows = await run('marts.coverage', {
      'core.chains': [{ chain: 'base' }],
      'lake.coverage': [
        unit('base', 'swaps'),
        unit('kalshi', 'fills'),
        ...['posts', 'post_text', 'mentions'].map((dataset) => unit('bluesky', dataset)),
        ...['assets', 'feed', 'grades'].map((dataset) => unit('tapeline', dataset)),
      ],
    })
    expect(new Set(cut(rows, 'kind', 'part').map(String))).toEqual(
      new Set(['chain,base', 'venue,kalshi', 'social,bluesky']),
    )
  })

  test('is of what had begun by the clock, and reaches no further', async () => {
    const unit = (from_at: string | null, to_at: string | null): Row => ({
      dataset: 'fills',
      part: 'polymarket',
      unit: `${from_at} ${to_at}`,
      state: 'done',
      from_at,
      to_at,
    })
    const reach = async (...units: Row[]) =>
      cut(await run('marts.coverage', { 'lake.coverage': units }), 'n_done', 'from_at', 'to_at')
    const after = '2026-11-20 12:00:00.000001'
    expect(await reach(unit(clock, after), unit(after, '2026-12-01'), unit(null, null))).toEqual([[2, clock, clock]])
    expect(await reach(unit('2026-01-01', '2026-02-01'))).toEqual([[1, '2026-01-01 00:00:00', '2026-02-01 00:00:00']])
    expect(await reach(unit('2026-01-01', null), unit('2026-01-01', '2026-02-01'))).toEqual([
      [2, '2026-01-01 00:00:00', clock],
    ])
    expect(await reach({ ...unit('2026-01-01', null), state: 'missing' })).toEqual([[0, '2026-01-01 00:00:00', null]])
    expect(await reach(unit(after, null))).toEqual([])
  })
})
