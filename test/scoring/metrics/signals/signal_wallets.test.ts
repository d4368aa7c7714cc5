import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

const tagged = { wallet: '0xa', chain: 'base', tags: ['profitable_90d', 'smart_money'], archetype: 'swing_trader' }
const returns = { wallet: '0xa', chain: 'base', days: 90, gain_share: 0.99 }
const trades = (n: number, usd: (i: number) => number | null, more = {}) =>
  Array.from({ length: n }, (_, i) => ({
    wallet: '0xa',
    chain: 'base',
    tx: `t${i}`,
    ts: '2026-11-01 00:00:00',
    kind: 'swap',
    is_self: false,
    usd: usd(i),
    ...more,
  }))
const given = (wallet: object, rows: ReturnType<typeof trades>, bounds: object[] = [returns]) => ({
  'metrics.wallet_traits': [{ ...tagged, ...wallet }],
  'core.trades': rows,
  'metrics.wallet_returns': bounds as (typeof returns)[],
})
const flat = (n: number) => trades(n, () => 100)
const found = async (...of: Parameters<typeof given>) => run('metrics.signal_wallets', given(...of))

test('a wallet needs the tag smart_money or whale, and 20 priced trades of 90 days before the last hour', async () => {
  expect(await found({}, flat(20))).toMatchObject([{ wallet: '0xa', n_trades: 20, confidence: 0.99 }])
  expect(await found({ tags: ['whale'] }, flat(20))).toHaveLength(1)
  expect(await found({ tags: ['profitable_90d'] }, flat(20))).toEqual([])
  expect(await found({}, flat(19))).toEqual([])
  for (const more of [
    { usd: null },
    { is_self: true },
    { kind: 'arbitrage' },
    { ts: '2026-11-20 11:00:01' },
    { ts: '2026-08-01 00:00:00' },
    { chain: 'ethereum' },
  ])
    expect(await found({}, [...flat(19), ...trades(5, () => 100, { ...more, tx: 'x' })])).toEqual([])
})

test('a whale with few closed tokens has an even chance of skill', async () => {
  expect(await found({ tags: ['whale'] }, flat(20), [])).toMatchObject([{ confidence: 0.5 }])
  expect(await found({}, flat(20), [{ ...returns, days: 180 }])).toMatchObject([{ confidence: 0.5 }])
})

test('the threshold and the tail are those of its own trades', async () => {
  const sizes = Array.from({ length: 101 }, (_, i) => 2_000 + 10 * i)
  const [row] = await found(
    {},
    trades(101, (i) => sizes[i] ?? 0),
  )
  const above = sizes.filter((usd) => usd >= 2_950)
  const excess = above.reduce((sum, usd) => sum + Math.log(usd / 2_950), 0)
  expect(row).toMatchObject({ threshold_usd: 2_950, tail_shape: 2 + above.length })
  expect(row?.['tail_scale']).toBeCloseTo(1 + excess, 6)
  expect(row?.['tail_share']).toBeCloseTo((above.length + 1) / 102, 6)
})
