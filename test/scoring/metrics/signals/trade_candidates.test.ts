import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

const trader = { trader: '0xa', threshold_usd: 2_000, tail_share: 0.05, tail_shape: 12, tail_scale: 4 }
const fill = {
  venue: 'v',
  market_id: 'v:m',
  token_id: 'a',
  ts: '2026-11-20 11:30:00',
  tx: 't1',
  trader: '0xa',
  side: 'buy',
  role: 'taker',
  price: 0.5,
  size: 1_000,
}
const given = (...tape: object[]) => ({
  'metrics.signal_traders': [trader],
  'staging.tape': tape as (typeof fill)[],
  'core.outcomes': [{ market_id: 'v:m', outcome: 0, token_id: 'a' }],
})

test('a trade above the threshold has the chance of the tail, a smaller one has 1', async () => {
  const [small] = await run('metrics.trade_candidates', given(fill))
  expect(small).toMatchObject({ usd: 500, price: 0.5, p: 1 })
  const [large] = await run('metrics.trade_candidates', given({ ...fill, size: 80_000 }))
  expect(large?.['p']).toBeCloseTo(0.05 * (4 / (4 + Math.log(20))) ** 12, 12)
})

test('fills of one transaction are one trade; another hour, trader, role or a trade with oneself is none', async () => {
  const rest = { ...fill, size: 3_000, price: 0.6 }
  expect(await run('metrics.trade_candidates', given(fill, { ...rest, seq: 1 }))).toMatchObject([{ usd: 2_300 }])
  const others = [
    { ...fill, ts: '2026-11-20 11:00:00' },
    { ...fill, trader: '0xb' },
    { ...fill, role: 'block' },
    { ...fill, tx: 't2' },
    { ...fill, tx: 't2', role: 'maker' },
  ]
  expect(await run('metrics.trade_candidates', given(...others))).toEqual([])
})
