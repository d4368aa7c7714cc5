import { describe, expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

const after = '2026-11-20 12:00:00.000001'

describe('resolutions', () => {
  const resolution = (ts: string, payouts: number[], source = 'gamma', market_id = 'polymarket:a') => ({
    market_id,
    ts,
    payouts,
    source,
  })
  const preferred = [
    { dataset: 'resolutions', source: 'gamma', precedence: 2 },
    { dataset: 'resolutions', source: 'clob', precedence: 1 },
  ]
  const redeem = (ts: string, market_id = 'polymarket:a') => ({ kind: 'redeem', ts, market_id, trader: 'ann' })
  const known = async (rows: Given[string], activity: Given[string] = []) =>
    cut(
      await run('staging.resolutions', {
        'lake.resolutions': rows,
        'staging.precedences': preferred,
        'lake.activity': activity,
      }),
      'ts',
      'payouts',
    )

  test('are those known at the clock, a correction as a row of its own', async () => {
    const rows = [resolution('2026-11-01', [1, 0]), resolution(clock, [0.5, 0.5]), resolution(after, [0, 1])]
    expect(await known(rows)).toEqual([
      ['2026-11-01 00:00:00', ['1.000000', '0.000000']],
      [clock, ['0.500000', '0.500000']],
    ])
  })

  test('stand once for a market that was moved from one closing hour to another', async () => {
    const twice = [resolution('2026-11-01', [1, 0]), resolution('2026-11-01', [1, 0])]
    expect(await known(twice)).toEqual([['2026-11-01 00:00:00', ['1.000000', '0.000000']]])
  })

  test('of two sources are those of the preferred one; what only the other one knows counts too', async () => {
    const rows = [
      resolution('2026-11-01', [1, 0], 'clob'),
      resolution('2026-11-02', [0, 1]),
      resolution('2026-11-03', [1, 0], 'clob', 'polymarket:b'),
    ]
    expect(await known(rows)).toEqual([
      ['2026-11-02 00:00:00', ['0.000000', '1.000000']],
      ['2026-11-03 00:00:00', ['1.000000', '0.000000']],
    ])
  })

  test('are no later than the first redemption, as far as the first row of a market goes', async () => {
    const rows = [resolution('2026-11-05', [1, 0]), resolution('2026-11-09', [0, 1])]
    const activity = [
      redeem('2026-11-03'),
      redeem('2026-11-07'),
      redeem('2026-11-01', 'polymarket:b'),
      { ...redeem('2026-11-01'), kind: 'merge' },
    ]
    expect((await known(rows, activity)).map(([ts]) => ts)).toEqual(['2026-11-03 00:00:00', '2026-11-09 00:00:00'])
    expect((await known(rows, [redeem('2026-11-06')])).map(([ts]) => ts)).toEqual([
      '2026-11-05 00:00:00',
      '2026-11-09 00:00:00',
    ])
  })

  test('that were reported after the clock are known if an account had redeemed by then', async () => {
    expect(await known([resolution('2026-12-01', [1, 0])], [redeem(clock)])).toEqual([
      [clock, ['1.000000', '0.000000']],
    ])
    expect(await known([resolution('2026-12-01', [1, 0])], [redeem(after)])).toEqual([])
  })
})
