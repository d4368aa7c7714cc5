import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const seen = (more: Row = {}): Row => ({
  market_id: 'm',
  question: 'Who wins?',
  labels: ['Yes', 'No'],
  token_ids: ['t0', 't1'],
  is_open: true,
  is_hindsight: false,
  ...more,
})

describe('outcomes', () => {
  const outcomes = async (row: Row, resolutions: Row[] = []) =>
    cut(
      await run('core.outcomes', { 'staging.markets': [seen(row)], 'staging.resolutions': resolutions }),
      'outcome',
      'token_id',
      'label',
      'payout',
    )

  test('are numbered as the market lists them, with their payout once it is known', async () => {
    expect(await outcomes({})).toEqual([
      [0, 't0', 'Yes', null],
      [1, 't1', 'No', null],
    ])
    expect(await outcomes({}, [{ market_id: 'm', ts: '2026-11-01', payouts: [0.5, 0.5] }])).toEqual([
      [0, 't0', 'Yes', 0.5],
      [1, 't1', 'No', 0.5],
    ])
  })

  test('pay what the last correction says', async () => {
    const corrected = [
      { market_id: 'm', ts: '2026-11-02', payouts: [0, 1] },
      { market_id: 'm', ts: '2026-11-01', payouts: [1, 0] },
    ]
    expect((await outcomes({}, corrected)).map(([, , , payout]) => payout)).toEqual([0, 1])
  })

  test('without a label are there all the same; without a token there are none', async () => {
    expect(await outcomes({ labels: ['A'] })).toEqual([
      [0, 't0', 'A', null],
      [1, 't1', '', null],
    ])
    expect(await outcomes({ token_ids: [] })).toEqual([])
  })
})
