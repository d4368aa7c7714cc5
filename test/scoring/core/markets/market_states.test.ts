import { describe, expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const after = '2026-11-20 12:00:00.000001'
const seen = (more: Row = {}): Row => ({
  market_id: 'm',
  question: 'Who wins?',
  labels: ['Yes', 'No'],
  token_ids: ['t0', 't1'],
  is_open: true,
  is_hindsight: false,
  ...more,
})
const markets = (rows: readonly Row[], resolutions: readonly Row[] = []) =>
  run('core.market_states', {
    'staging.markets': rows,
    'staging.reported_resolutions': resolutions,
    'staging.resolutions': resolutions,
  })

describe('the question', () => {
  const asked = async (labels: string[]) => cut(await markets([seen({ labels })]), 'question')[0]?.[0]

  test('is as it was asked where YES is yes, in any case', async () => {
    expect(await asked(['Yes', 'No'])).toBe('Who wins?')
    expect(await asked(['YES', 'NO'])).toBe('Who wins?')
  })

  test('says what YES stands for where the labels are others', async () => {
    expect(await asked(['Lakers', 'Celtics'])).toBe('Who wins?: Lakers?')
    expect(await asked(['No', 'Yes'])).toBe('Who wins?: No?')
    expect(await asked(['Over', 'Under', 'Push'])).toBe('Who wins?: Over?')
  })

  test('is there also without names of the outcomes', async () => {
    expect(await asked([])).toBe('Who wins?')
  })
})

describe('a market', () => {
  const states = async (row: Row, resolved?: string) => {
    const rows = await markets([seen(row)], resolved === undefined ? [] : [{ market_id: 'm', ts: resolved }])
    return cut(rows, 'is_open', 'closed_at', 'resolved_at')[0]
  }

  test('is open as it was last seen', async () => {
    expect(await states({ is_open: true })).toEqual([true, null, null])
    expect(await states({ is_open: false })).toEqual([false, null, null])
  })

  test('is open, before it was first seen, from its creation to its close or resolution', async () => {
    const hindsight = { is_hindsight: true, is_open: false }
    expect(await states(hindsight)).toEqual([true, null, null])
    expect(await states({ ...hindsight, closed_at: after })).toEqual([true, null, null])
    expect(await states({ ...hindsight, closed_at: clock })).toEqual([false, clock, null])
    expect(await states(hindsight, '2026-11-01')).toEqual([false, null, '2026-11-01 00:00:00'])
  })

  test('is not open once it has closed or resolved, whatever was seen before', async () => {
    expect(await states({ closed_at: clock })).toEqual([false, clock, null])
    expect(await states({}, '2026-11-01')).toEqual([false, null, '2026-11-01 00:00:00'])
  })

  test('has resolved when the first payout was reported, be it corrected later', async () => {
    const rows = await markets(
      [seen()],
      [
        { market_id: 'm', ts: '2026-11-02' },
        { market_id: 'm', ts: '2026-11-01' },
      ],
    )
    expect(cut(rows, 'resolved_at')).toEqual([['2026-11-01 00:00:00']])
  })

  test('is open until the payout is reported, though a redemption dates the resolution earlier', async () => {
    const at = async (reports: readonly Row[]) => {
      const rows = await run('core.market_states', {
        'staging.markets': [seen()],
        'staging.reported_resolutions': reports,
        'staging.resolutions': [{ market_id: 'm', ts: '2026-11-01' }],
      })
      return cut(rows, 'is_open', 'reported_at', 'resolved_at')[0]
    }
    expect(await at([])).toEqual([true, null, '2026-11-01 00:00:00'])
    const reports = [{ market_id: 'm', ts: '2026-11-03' }]
    expect(await at(reports)).toEqual([false, '2026-11-03 00:00:00', '2026-11-01 00:00:00'])
  })

  test('takes no fee where none is named, and counts its outcomes', async () => {
    const rows = await markets([seen({ labels: ['A', 'B', 'C'] }), seen({ market_id: 'n', taker_fee_rate: 0.02 })])
    expect(cut(rows, 'market_id', 'taker_fee_rate', 'n_outcomes')).toEqual([
      ['m', 0, 3],
      ['n', 0.02, 2],
    ])
  })
})
