import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import type { Balances, ReadBalances } from '#api/live/balances.ts'
import { findChain } from '#chains/find_chain.ts'
import { startService, type Service } from '#test/api/service.ts'

const shown = '0xBBc264c10F54A61607A31B53358a5A87d4B045be'
const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
const another = (i: number) => `0x${String(i).padStart(40, '1')}`
const solana = 'So11111111111111111111111111111111111111112'
const solanaWallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const usdc = findChain('base').stables[0] ?? ''
const token = another(77)

/** The node of all chains: its balances, or its failure. */
const node: { balances: Balances | null; asked: Parameters<ReadBalances>[0][] } = { balances: null, asked: [] }
const readBalances: ReadBalances = async (of) => {
  node.asked.push(of)
  if (node.balances === null) throw new Error('the node is down')
  return node.balances
}

let service: Service
beforeAll(async () => {
  service = await startService({ readBalances, rateFactor: 1_000 })
})
afterAll(() => service.stop())
beforeEach(() => {
  Object.assign(node, { balances: null, asked: [] })
  service.clock.at += 60_000_000
})

const profileOf = async (query: string) => {
  const { status, json, headers } = await service.ask(`/v1/wallet?${query}`)
  return { status, json, coverage: headers['x-coverage'], message: json['message'] }
}
const none = {
  tags: [],
  pnl: { realized_30d: 0, realized_all_time: 0 },
  holdings: [],
  behavior_archetype: 'unproven',
}
const lives = (held: Balances['held'], unread: string[] = []) => (node.balances = { held, unread })

describe('the chain', () => {
  test('is that of the largest volume of 30 days; the figures are of that chain', async () => {
    await service.publish('volumes', {
      chainWallets: [
        { address: owner, chain: 'arbitrum', volume: '5', realized_30d: '1' },
        { address: owner, chain: 'base', volume: '7.5', realized_30d: '-2.5', realized_all_time: '3', tags: ['whale'] },
        { address: another(1), chain: 'polygon', volume: '1000', realized_30d: '4' },
      ],
    })
    expect((await profileOf(`address=${owner}`)).json).toEqual({
      address: shown,
      chain: 'base',
      tags: ['whale'],
      pnl: { realized_30d: -2.5, realized_all_time: 3 },
      holdings: [],
      behavior_archetype: 'generalist',
    })
    expect(node.asked.map(({ chain, wallet }) => [chain.slug, wallet])).toEqual([['base', owner]])
    const { json } = await profileOf(`address=${owner}&chain=42161`)
    expect(json).toMatchObject({ chain: 'arbitrum', pnl: { realized_30d: 1 } })
  })

  test('of equal volumes is ethereum, else the first by name', async () => {
    const chainWallets = ['polygon', 'ethereum', 'base'].map((chain) => ({ address: owner, chain }))
    await service.publish('equal', { chainWallets })
    expect((await profileOf(`address=${owner}`)).json).toMatchObject({ chain: 'ethereum' })
    await service.publish('equal-two', { chainWallets: chainWallets.filter(({ chain }) => chain !== 'ethereum') })
    expect((await profileOf(`address=${owner}`)).json).toMatchObject({ chain: 'base' })
  })

  test('of an unknown address is ethereum, of a Solana address solana, else the asked one', async () => {
    await service.publish('unknown', {})
    expect((await profileOf(`address=${shown}`)).json).toEqual({ ...none, address: shown, chain: 'ethereum' })
    expect((await profileOf(`address=${solana}`)).json).toEqual({ ...none, address: solana, chain: 'solana' })
    expect((await profileOf(`address=${solana}&chain=solana`)).json).toMatchObject({ chain: 'solana' })
    expect((await profileOf(`address=${shown}&chain=Mainnet`)).json).toMatchObject({ chain: 'ethereum' })
    expect((await profileOf(`address=${shown}&chain=linea`)).json).toEqual({ ...none, address: shown, chain: 'linea' })
  })

  test.each([
    ['solana', owner, 'chain: solana has no such addresses; expected a Solana address or another chain.'],
    ['base', solana, 'chain: base has no such addresses; expected solana.'],
  ])('%s with an address of another kind is a 400', async (chain, address, message) => {
    expect(await profileOf(`address=${address}&chain=${chain}`)).toMatchObject({ status: 400, message })
  })

  test.each(['all', 'etherium', '', 'base&chain=base'])('written as "%s" is a 400', async (chain) => {
    const { status, message } = await profileOf(`address=${owner}&chain=${chain}`)
    expect([status, String(message).slice(0, 6)]).toEqual([400, 'chain:'])
  })
})

describe('the address', () => {
  test('is read in any case and answered in EIP-55', async () => {
    for (const address of [owner, shown, owner.toUpperCase()])
      expect((await profileOf(`address=${address}`)).json, address).toMatchObject({ address: shown })
  })

  test.each(['0xBBc264c10F54A61607A31B53358a5A87d4B045bE', owner.slice(1), 'vitalik.eth', '1'.repeat(31), ''])(
    'written as "%s" is a 400',
    async (address) => {
      const { status, message } = await profileOf(`address=${address}`)
      expect([status, String(message).slice(0, 8)]).toEqual([400, 'address:'])
    },
  )
})

describe('X-Coverage', () => {
  test('is complete with a complete history and live balances', async () => {
    lives([])
    await service.publish('complete', { chainWallets: [{ address: owner, unlisted_reason: 'too few trades' }] })
    expect((await profileOf(`address=${owner}`)).coverage).toBe('complete')
  })

  test('is partial with the reasons of the figures and of the holdings', async () => {
    await service.publish('partial', {
      chainWallets: [{ address: owner, is_complete: false, unlisted_reason: 'sold "x" – unseen' }],
    })
    expect((await profileOf(`address=${owner}`)).coverage).toBe(
      String.raw`partial; reason="sold \"x\" ? unseen; holdings are not read, no node of base answered"`,
    )
    lives([])
    service.clock.at += 60_000_000
    expect((await profileOf(`address=${owner}`)).coverage).toBe(String.raw`partial; reason="sold \"x\" ? unseen"`)
  })

  test('of an address without a trade names the time from which its chain is read', async () => {
    lives([])
    await service.publish('read', { coverage: [['chain', 'base']] })
    expect((await profileOf(`address=${owner}&chain=base`)).coverage).toBe(
      'partial; reason="no trade is stored on base, which is read from 2026-01-01T00:00:00.000Z"',
    )
    expect((await profileOf(`address=${owner}`)).coverage).toBe('partial; reason="ethereum is not read"')
    expect((await profileOf(`address=${solana}`)).coverage).toBe('partial; reason="solana is not read"')
  })
})

describe('the holdings', () => {
  const stored = [
    { address: owner, contract: token, token: 'PEPE', amount: 10, usd_value: '20', usd_per_token: 2, rank: 1 },
    { address: owner, contract: usdc, token: 'USDC', amount: 3, usd_value: '3', rank: 2 },
  ]

  test('are live balances at the last known prices, the most valuable first', async () => {
    await service.publish('live', {
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
    await service.publish('prices', {
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
        { token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', amount: 7, usd_value: 7 },
      ],
    })
  })

  test('are the last known ones, with their time, while no node answers', async () => {
    await service.publish('last', { chainWallets: [{ address: owner }], holdings: stored })
    const { status, json, coverage } = await profileOf(`address=${owner}`)
    expect(status).toBe(200)
    expect(json['holdings']).toEqual([
      { token: 'PEPE', amount: 10, usd_value: 20 },
      { token: 'USDC', amount: 3, usd_value: 3 },
    ])
    expect(coverage).toBe('partial; reason="holdings are those of 2026-03-01T11:00:00.000Z, no node of base answered"')
  })

  test('of a contract that gives no balance are its last known ones', async () => {
    await service.publish('unread', { chainWallets: [{ address: owner }], holdings: stored })
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
    await service.publish('solana', { holdings: [{ address: solanaWallet, chain: 'solana', ...stored_sol }] })
    lives([
      { token: 'native', raw: 2_500_000_000n, decimals: 9, symbol: 'SOL' },
      { token: solana, raw: 500_000_000n, decimals: 9, symbol: null },
      { token: findChain('solana').stables[0] ?? '', raw: 7_000_000n, decimals: 6, symbol: null },
    ])
    const { json } = await profileOf(`address=${solanaWallet}`)
    expect(json['holdings']).toEqual([
      { token: 'SOL', amount: 3, usd_value: 450 },
      { token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', amount: 7, usd_value: 7 },
    ])
  })

  test('of a mint are none, with the reason', async () => {
    await service.publish('mint', {})
    node.balances = { held: [], unread: [], problem: 'the address is a mint, no wallet' }
    const { status, json, coverage } = await profileOf(`address=${solana}`)
    expect({ status, json }).toEqual({ status: 200, json: { ...none, address: solana, chain: 'solana' } })
    expect(coverage).toBe('partial; reason="solana is not read; the address is a mint, no wallet"')
  })

  test('of Solana are the last known ones, with their time, while no node answers', async () => {
    await service.publish('solana_down', {
      holdings: [
        { address: solanaWallet, chain: 'solana', contract: 'native', token: 'SOL', amount: 2, usd_value: '300' },
      ],
    })
    const { json, coverage } = await profileOf(`address=${solanaWallet}`)
    expect(json['holdings']).toEqual([{ token: 'SOL', amount: 2, usd_value: 300 }])
    expect(coverage).toContain('holdings are those of 2026-03-01T11:00:00.000Z, no node of solana answered')
  })

  test('of any size are finite numbers', async () => {
    await service.publish('sizes', {
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

describe('an answer', () => {
  test('is kept while its balances are fresh, and changes its tag with them', async () => {
    await service.publish('kept', { chainWallets: [{ address: owner }] })
    const balance = (raw: bigint) => lives([{ token: usdc, raw, decimals: 6, symbol: 'USDC' }])
    const ask = (headers = {}) => service.ask(`/v1/wallet?address=${owner}`, { headers })
    balance(1_000_000n)
    const first = await ask()
    balance(2_000_000n)
    service.clock.at += 29_000_000
    const kept = await ask()
    expect([kept.text, kept.headers.etag]).toEqual([first.text, first.headers.etag])
    expect(node.asked).toHaveLength(1)
    service.clock.at += 2_000_000
    const changed = await ask({ 'if-none-match': first.headers.etag ?? '' })
    expect([changed.status, changed.json['holdings']]).toEqual([200, [{ token: 'USDC', amount: 2, usd_value: 2 }]])
    expect(changed.headers.etag).not.toBe(first.headers.etag)
    service.clock.at += 31_000_000
    expect((await ask({ 'if-none-match': changed.headers.etag ?? '' })).status).toBe(304)
    expect(node.asked).toHaveLength(3)
  })

  test('without live balances is tried again after ten seconds', async () => {
    await service.publish('again', { chainWallets: [{ address: owner }] })
    const coverage = async () => (await profileOf(`address=${owner}`)).coverage
    expect(await coverage()).toContain('no node of base answered')
    lives([])
    service.clock.at += 9_000_000
    expect(await coverage()).toContain('no node of base answered')
    service.clock.at += 1_000_000
    expect(await coverage()).toBe('complete')
  })

  test('from a snapshot of a version without wallets has zeros and live holdings', async () => {
    lives([{ token: usdc, raw: 1_000_000n, decimals: 6, symbol: 'USDC' }])
    await service.publish('older', { without: ['discover', 'wallet', 'wallet_tokens', 'holdings', 'token_prices'] })
    const { json, coverage } = await profileOf(`address=${owner}&chain=base`)
    expect(json).toEqual({
      ...none,
      address: shown,
      chain: 'base',
      holdings: [{ token: 'USDC', amount: 1, usd_value: 1 }],
    })
    expect(coverage).toBe('partial; reason="wallets are not scored yet"')
  })

  test('is a 503 before the first snapshot, and a 400 if the address is of another kind', async () => {
    const empty = await startService({ isEmpty: true })
    expect((await empty.ask(`/v1/wallet?address=${owner}`)).status).toBe(503)
    expect((await empty.ask(`/v1/wallet?address=${owner}&chain=solana`)).status).toBe(400)
    await empty.stop()
  })
})
