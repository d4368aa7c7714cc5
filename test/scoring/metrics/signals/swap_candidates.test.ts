import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const wallet = {
  wallet: '0xa',
  chain: 'base',
  confidence: 0.9,
  threshold_usd: 2_000,
  tail_share: 0.05,
  tail_shape: 12,
  tail_scale: 4,
}
const tokens = [
  { token_index: 0, chain: 'base', token: 'usdc', moneyness: 2 },
  { token_index: 1, chain: 'base', token: 'native', moneyness: 1 },
  { token_index: 2, chain: 'base', token: '0xpepe', moneyness: 0 },
  { token_index: 3, chain: 'base', token: '0xdoge', moneyness: 0 },
]
const trade = (token_sold: string, token_bought: string, more = {}) => ({
  wallet: '0xa',
  chain: 'base',
  tx: 't1',
  ts: '2026-11-20 11:30:00',
  kind: 'swap',
  token_sold,
  token_bought,
  usd: 500,
  is_self: false,
  is_certain: true,
  ...more,
})
const given = (...trades: object[]) => ({
  'metrics.signal_wallets': [wallet],
  'core.trades': trades as ReturnType<typeof trade>[],
  'core.lot_tokens': tokens,
  'core.tokens': [
    { chain: 'base', token: '0xpepe', symbol: 'PEPE (bridged)' },
    { chain: 'base', token: 'native', symbol: 'ETH' },
  ],
  'core.assets': [
    { symbol: 'PEPE', asset_id: 'pepe', name: 'Pepe', tokens: ['base:0xpepe', 'ethereum:0x1'] },
    { symbol: 'ETH', asset_id: 'ethereum', name: 'Ethereum', tokens: [] },
  ],
})
const found = (...trades: object[]) => run('metrics.swap_candidates', given(...trades))

test('the side that is less like money is what a wallet enters or leaves', async () => {
  const sides = async (sold: string, bought: string) =>
    cut(await found(trade(sold, bought)), 'direction', 'token', 'label', 'symbol')
  expect(await sides('usdc', '0xpepe')).toEqual([['entry', '0xpepe', 'PEPE (bridged)', 'PEPE']])
  expect(await sides('0xpepe', 'native')).toEqual([['exit', '0xpepe', 'PEPE (bridged)', 'PEPE']])
  expect(await sides('usdc', 'native')).toEqual([['entry', 'native', 'ETH', 'ETH']])
  expect(await sides('0xpepe', '0xdoge')).toEqual([['entry', '0xdoge', '0xdoge', null]])
})

test('a trade above the threshold has the chance of the tail, and the trades of a transaction are one', async () => {
  expect(await found(trade('usdc', '0xpepe'))).toMatchObject([{ usd: 500, p: 1 }])
  const [large] = await found(
    trade('usdc', '0xpepe', { usd: 30_000 }),
    trade('native', '0xpepe', { seq: 1, usd: 10_000 }),
  )
  expect(large).toMatchObject({ usd: 40_000, confidence: 0.9 })
  expect(large?.['p']).toBeCloseTo(0.05 * (4 / (4 + Math.log(20))) ** 12, 12)
})

test('an older, unpriced, circular, uncertain or own trade, and that of another wallet or chain, is not tested', async () => {
  const others = [
    { ts: '2026-11-20 11:00:00' },
    { usd: null },
    { kind: 'arbitrage' },
    { is_self: true },
    { is_certain: false },
    { wallet: '0xb' },
    { chain: 'ethereum' },
  ]
  expect(await found(...others.map((more) => trade('usdc', '0xpepe', more)))).toEqual([])
})
