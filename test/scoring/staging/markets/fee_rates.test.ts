import { describe, expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const described = (seen_at: string, taker_fee_rate: number | null, source = 'gamma', fee_exponent = 1) => ({
  market_id: 'm',
  seen_at,
  taker_fee_rate,
  fee_exponent,
  source,
})
const rates = async (rows: ReturnType<typeof described>[], chosen: { seen_at: string; source?: string }) =>
  cut(
    await run('staging.fee_rates', {
      'lake.markets': rows,
      'staging.markets': [{ market_id: 'm', source: 'gamma', ...chosen }],
    }),
    'from_at',
    'taker_fee_rate',
  )

describe('the fee rates of a market', () => {
  const rows = [
    described('2026-01-02', 0.03),
    described('2026-02-02', 0.03),
    described('2026-03-02', null),
    described('2026-04-02', 0.05),
    described('2026-03-15', 0.01, 'clob'),
  ]

  test('are one row a change, the first from the beginning on, of the source that describes it', async () => {
    expect(await rates(rows, { seen_at: '2026-04-02' })).toEqual([
      ['1970-01-01 00:00:00', 0.03],
      ['2026-03-02 00:00:00', null],
      ['2026-04-02 00:00:00', 0.05],
    ])
  })

  test('are one row a change of the exponent too', async () => {
    const changed = [described('2026-01-02', 0.25, 'gamma', 2), described('2026-02-02', 0.25)]
    const found = await run('staging.fee_rates', {
      'lake.markets': changed,
      'staging.markets': [{ market_id: 'm', source: 'gamma', seen_at: '2026-04-02' }],
    })
    expect(cut(found, 'from_at', 'taker_fee_rate', 'fee_exponent')).toEqual([
      ['1970-01-01 00:00:00', 0.25, 2],
      ['2026-02-02 00:00:00', 0.25, 1],
    ])
  })

  test('end at the description that the clock knows', async () => {
    expect(await rates(rows, { seen_at: '2026-02-02' })).toEqual([['1970-01-01 00:00:00', 0.03]])
  })
})
