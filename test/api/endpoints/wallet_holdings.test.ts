import { describe, expect, test } from 'vitest'

import { findChain } from '#registry/chains/find_chain.ts'

import { another, none, owner, shown, usdc, walletService } from './wallet_service.ts'

const solana = 'So11111111111111111111111111111111111111112'
const solanaWallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const token = another(77)
const { service, node, lives, profileOf } = walletService()

describe('the holdings', () => {
  const stored = [
    { address: owner, contract: token, token: 'PEPE', amount: 10, usd_value: '20', usd_per_token: 2, rank: 1 },
    { address: owner, contract: usdc, token: 'USDC', amount: 3, usd_value: '3', rank: 2 },
  ]

  test('are live balances at the last known prices, the most valuable first', async () => {
    await service().publish('live', {
      chainWallets: [{ address: owner }],
      traded: [{ address: owner, token: another(88) }],
      holdings: stored,
      prices: [
        { contract: 'native', token: 'ETH', usd_per_token: 3_300.5 },
        { contract: 'native', chain: 'polygon', token: 'POL', usd_per_token: 0.2 },
      ],
    })
    lives([
      { token: 'native', raw: 1_500_000_000_000_000_001n, decimals: 18, symbol: 'ETH' },
      { token: findChain('base').wrapped ?? '', raw: 10n ** 17n, decimals: 18, symbol: 'WETH' },
      { token: usdc, raw: 2_500_000n, decimals: 6, symbol: 'USDC' },
      { token, raw: 10n ** 24n, decimals: 18, symbol: null },
      { token: another(88), raw: 5n, decimals: 0, symbol: null },
    ])
    const { json, coverage } = await profileOf(`address=${owner}`)
    expect(json['holdings']).toEqual([
      { token: 'PEPE', amount: 1_000_000, usd_value: 2_000_000 },
      { token: 'ETH', amount: 1.6, usd_value: 5_280.8 },
      { token: 'USDC', amount: 2.5, usd_value: 2.5 },
    ])
    expect(coverage).toBe('complete')
    const [asked] = node.asked
    expect(new Set(asked?.tokens)).toEqual(
      new Set(['native', findChain('base').wrapped, ...findChain('base').stables, token, another(88)]),
    )
  })

  test('of an address that was never seen are its coin and its dollars', async () => {
    await service().publish('prices', {
      prices: [{ chain: 'ethereum', contract: 'native', token: 'ETH', usd_per_token: 2_000 }],
    })
    const [dollar = ''] = findChain('ethereum').stables
    lives([
      { token: 'native', raw: 10n ** 18n, decimals: 18, symbol: 'ETH' },
      { token: dollar, raw: 7n, decimals: 0, symbol: null },
    ])
    expect((await profileOf(`address=${shown}`)).json).toEqual({
      ...none,
      address: shown,
      chain: 'ethereum',
      holdings: [
        { token: 'ETH', amount: 1, usd_value: 2_000 },
        { token: 'USDC', amount: 7, usd_value: 7 },
      ],
    })
  })

  test('are the last known ones, with their time, while no node answers', async () => {
    await service().publish('last', { chainWallets: [{ address: owner }], holdings: stored })
    const { status, json, coverage } = await profileOf(`address=${owner}`)
    expect(status).toBe(200)
    expect(json['holdings']).toEqual([
      { token: 'PEPE', amount: 10, usd_value: 20 },
      { token: 'USDC', amount: 3, usd_value: 3 },
    ])
    expect(coverage).toBe('partial; reason="holdings are those of 2026-03-01T11:00:00.000Z, no node of base answered"')
  })

  test('of a contract that gives no balance are its last known ones', async () => {
    await service().publish('unread', { chainWallets: [{ address: owner }], holdings: stored })
    lives([{ token: usdc, raw: 30_000_000n, decimals: 6, symbol: 'USDC' }], [token, another(88)])
    const { json, coverage } = await profileOf(`address=${owner}`)
    expect(json['holdings']).toEqual([
      { token: 'USDC', amount: 30, usd_value: 30 },
      { token: 'PEPE', amount: 10, usd_value: 20 },
    ])
    expect(coverage).toBe('partial; reason="the balances of 1 tokens are not read"')
  })

  test('of Solana are all tokens that a node lists, SOL and its wrapped form as one', async () => {
    const stored_sol = { contract: 'native', token: 'SOL', amount: 2, usd_value: '300', usd_per_token: 150 }
    await service().publish('solana', { holdings: [{ address: solanaWallet, chain: 'solana', ...stored_sol }] })
    lives([
      { token: 'native', raw: 2_500_000_000n, decimals: 9, symbol: 'SOL' },
      { token: solana, raw: 500_000_000n, decimals: 9, symbol: null },
      { token: findChain('solana').stables[0] ?? '', raw: 7_000_000n, decimals: 6, symbol: null },
    ])
    const { json } = await profileOf(`address=${solanaWallet}`)
    expect(json['holdings']).toEqual([
      { token: 'SOL', amount: 3, usd_value: 450 },
      { token: 'USDC', amount: 7, usd_value: 7 },
    ])
  })

  test('of a mint are none, with the reason', async () => {
    await service().publish('mint', {})
    node.balances = { held: [], unread: [], problem: 'the address is a mint, no wallet' }
    const { status, json, coverage } = await profileOf(`address=${solana}`)
    expect({ status, json }).toEqual({ status: 200, json: { ...none, address: solana, chain: 'solana' } })
    expect(coverage).toBe('partial; reason="solana is not read; the address is a mint, no wallet"')
  })

  test('of Solana are the last known ones, with their time, while no node answers', async () => {
    await service().publish('solana_down', {
      holdings: [
        { address: solanaWallet, chain: 'solana', contract: 'native', token: 'SOL', amount: 2, usd_value: '300' },
      ],
    })
    const { json, coverage } = await profileOf(`address=${solanaWallet}`)
    expect(json['holdings']).toEqual([{ token: 'SOL', amount: 2, usd_value: 300 }])
    expect(coverage).toContain('holdings are those of 2026-03-01T11:00:00.000Z, no node of solana answered')
  })

  test('of any size are finite numbers', async () => {
    await service().publish('sizes', {
      chainWallets: [{ address: owner }],
      holdings: [{ ...stored[0], address: owner, contract: token, usd_per_token: 1e300 }],
      prices: [{ contract: another(3), usd_per_token: 1 }],
    })
    const most = 2n ** 256n - 1n
    lives([
      { token, raw: most, decimals: 0, symbol: null },
      { token: usdc, raw: most, decimals: 6, symbol: 'USDC' },
      { token: another(3), raw: 1n, decimals: 255, symbol: null },
    ])
    const { json } = await profileOf(`address=${owner}`)
    expect(json['holdings']).toEqual([{ token: 'USDC', amount: Number(most) / 1e6, usd_value: Number(most) / 1e6 }])
  })
})
