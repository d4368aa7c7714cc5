import { expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

const resolution = (ts: string, payouts: number[], source = 'gamma', market_id = 'polymarket:a') => ({
  market_id,
  ts,
  payouts,
  source,
})
const reported = async (rows: Given[string]) =>
  cut(
    await run('staging.reported_resolutions', {
      'lake.resolutions': rows,
      'staging.precedences': [
        { dataset: 'resolutions', source: 'gamma', precedence: 2 },
        { dataset: 'resolutions', source: 'clob', precedence: 1 },
      ],
    }),
    'market_id',
    'ts',
    'payouts',
  )

test('reports are those up to the clock, at their own times, a correction as a row of its own', async () => {
  const rows = [
    resolution('2026-11-01', [1, 0]),
    resolution('2026-11-01', [1, 0]),
    resolution(clock, [0.5, 0.5]),
    resolution('2026-11-20 12:00:00.000001', [0, 1]),
  ]
  expect(await reported(rows)).toEqual([
    ['polymarket:a', '2026-11-01 00:00:00', ['1.000000', '0.000000']],
    ['polymarket:a', clock, ['0.500000', '0.500000']],
  ])
})

test('reports of the preferred source replace those of another one, as soon as it has some', async () => {
  const rows = [
    resolution('2026-11-01', [1, 0], 'clob'),
    resolution('2026-11-02', [0, 1]),
    resolution('2026-11-03', [1, 0], 'clob', 'polymarket:b'),
    resolution('2026-12-01', [0, 1], 'gamma', 'polymarket:b'),
  ]
  expect(await reported(rows)).toEqual([
    ['polymarket:a', '2026-11-02 00:00:00', ['0.000000', '1.000000']],
    ['polymarket:b', '2026-11-03 00:00:00', ['1.000000', '0.000000']],
  ])
})
