import { describe, expect, test } from 'vitest'

import { dropRequested, listRequested } from '#accounts/requested.ts'
import { startService } from '#test/api/service.ts'

import { another, none, owner, shown, usdc, walletService } from './wallet_service.ts'

const solana = 'So11111111111111111111111111111111111111112'
const { service, node, lives, profileOf } = walletService()

describe('the chain', () => {
  test('is that of the largest volume of 30 days; the figures are of that chain', async () => {
    await service().publish('volumes', {
      chainWallets: [
        { address: owner, chain: 'arbitrum', volume: '5', realized_30d: '1' },
        {
          address: owner,
          chain: 'base',
          volume: '7.5',
          realized_30d: '-2.5',
          realized_all_time: '3',
          unranked_30d: '0.5',
          tags: ['whale'],
        },
        { address: another(1), chain: 'polygon', volume: '1000', realized_30d: '4' },
      ],
    })
    expect((await profileOf(`address=${owner}`)).json).toEqual({
      address: shown,
      chain: 'base',
      tags: ['whale'],
      pnl: { realized_30d: -2.5, realized_all_time: 3, unranked_30d: 0.5, unranked_all_time: 0 },
      holdings: [],
      behavior_archetype: 'generalist',
      history: { since: null, unpriced: null },
    })
    expect(node.asked.map(({ chain, wallet }) => [chain.slug, wallet])).toEqual([['base', owner]])
    const { json } = await profileOf(`address=${owner}&chain=42161`)
    expect(json).toMatchObject({ chain: 'arbitrum', pnl: { realized_30d: 1 } })
  })

  test('of equal volumes is ethereum, else the first by name', async () => {
    const chainWallets = ['polygon', 'ethereum', 'base'].map((chain) => ({ address: owner, chain }))
    await service().publish('equal', { chainWallets })
    expect((await profileOf(`address=${owner}`)).json).toMatchObject({ chain: 'ethereum' })
    await service().publish('equal-two', { chainWallets: chainWallets.filter(({ chain }) => chain !== 'ethereum') })
    expect((await profileOf(`address=${owner}`)).json).toMatchObject({ chain: 'base' })
  })

  test('of an unknown address is ethereum, of a Solana address solana, else the asked one', async () => {
    await service().publish('unknown', {})
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
    await service().publish('complete', { chainWallets: [{ address: owner, unlisted_reason: 'too few trades' }] })
    expect((await profileOf(`address=${owner}`)).coverage).toBe('complete')
  })

  test('is partial with the reasons of the figures and of the holdings', async () => {
    await service().publish('partial', {
      chainWallets: [{ address: owner, is_complete: false, unlisted_reason: 'sold "x" – unseen' }],
    })
    expect((await profileOf(`address=${owner}`)).coverage).toBe(
      String.raw`partial; reason="sold \"x\" ? unseen; holdings are not read, no node of base answered"`,
    )
    lives([])
    service().clock.at += 60_000_000
    expect((await profileOf(`address=${owner}`)).coverage).toBe(String.raw`partial; reason="sold \"x\" ? unseen"`)
  })

  test('of an address names since when its chain is stored, and what has no price on it', async () => {
    lives([])
    await service().publish('read', { coverage: [['chain', 'base']] })
    const historyOf = async (chain: string) => (await profileOf(`address=${owner}&chain=${chain}`)).json['history']
    expect(await historyOf('base')).toEqual({ since: '2026-01-01T00:00:00.000Z', unpriced: null })
    const unpriced = 'all tokens: no dollar of the chain is in the registry'
    expect(await historyOf('expanse-network')).toEqual({ since: null, unpriced })
    expect((await profileOf(`address=${owner}&chain=expanse-network`)).coverage).toBe(
      `partial; reason="expanse-network is not read; not priced: ${unpriced}"`,
    )
    expect((await profileOf(`address=${owner}&chain=base`)).coverage).toBe('pending')
    expect((await profileOf(`address=${owner}`)).coverage).toBe('partial; reason="ethereum is not read"')
    expect((await profileOf(`address=${solana}`)).coverage).toBe('partial; reason="solana is not read"')
  })
})

describe('an EVM address', () => {
  const coverage = async () => (await profileOf(`address=${owner}`)).coverage

  test('that was read by blocks alone is known since the first of them, and is requested', async () => {
    lives([])
    await dropRequested(service().accounts, [owner])
    await service().publish('blocks', { coverage: [['chain', 'base']], chainWallets: [{ address: owner }] })
    expect(await coverage()).toBe(
      'partial; since="2026-01-01T00:00:00.000Z"; reason="what the address did before is not read yet"',
    )
    await service().requests.flush()
    expect((await listRequested(service().accounts)).map(({ address }) => address)).toEqual([owner])
  })

  test('that is read by its address grows to complete', async () => {
    lives([])
    const shownOf = async (state: string, since_at?: string) => {
      const histories = [{ address: owner, state, ...(since_at === undefined ? {} : { since_at }) }]
      await service().publish(`history-${state}`, {
        coverage: [['chain', 'base']],
        chainWallets: [{ address: owner }],
        histories,
      })
      return coverage()
    }
    expect(await shownOf('growing', '2025-03-01 00:00:00')).toBe(
      'partial; since="2025-03-01T00:00:00.000Z"; reason="older blocks are read next"',
    )
    expect(await shownOf('budget', '2025-02-01 00:00:00')).toBe(
      'partial; since="2025-02-01T00:00:00.000Z"; reason="the account has too many transactions, and older ones are not read"',
    )
    expect(await shownOf('unproved')).toBe(
      'partial; reason="of some blocks no second endpoint has the same transfers of the account"',
    )
    expect(await shownOf('complete')).toBe('complete')
  })
})

describe('an answer', () => {
  test('is kept while its balances are fresh, and changes its tag with them', async () => {
    await service().publish('kept', { chainWallets: [{ address: owner }] })
    const balance = (raw: bigint) => lives([{ token: usdc, raw, decimals: 6, symbol: 'USDC' }])
    const ask = (headers = {}) => service().ask(`/v1/wallet?address=${owner}`, { headers })
    balance(1_000_000n)
    const first = await ask()
    balance(2_000_000n)
    service().clock.at += 29_000_000
    const kept = await ask()
    expect([kept.text, kept.headers.etag]).toEqual([first.text, first.headers.etag])
    expect(node.asked).toHaveLength(1)
    service().clock.at += 2_000_000
    const changed = await ask({ 'if-none-match': first.headers.etag ?? '' })
    expect([changed.status, changed.json['holdings']]).toEqual([200, [{ token: 'USDC', amount: 2, usd_value: 2 }]])
    expect(changed.headers.etag).not.toBe(first.headers.etag)
    service().clock.at += 31_000_000
    expect((await ask({ 'if-none-match': changed.headers.etag ?? '' })).status).toBe(304)
    expect(node.asked).toHaveLength(3)
  })

  test('without live balances is tried again after ten seconds', async () => {
    await service().publish('again', { chainWallets: [{ address: owner }] })
    const coverage = async () => (await profileOf(`address=${owner}`)).coverage
    expect(await coverage()).toContain('no node of base answered')
    lives([])
    service().clock.at += 9_000_000
    expect(await coverage()).toContain('no node of base answered')
    service().clock.at += 1_000_000
    expect(await coverage()).toBe('complete')
  })

  test('from a snapshot of a version without wallets has zeros and live holdings', async () => {
    lives([{ token: usdc, raw: 1_000_000n, decimals: 6, symbol: 'USDC' }])
    await service().publish('older', { without: ['discover', 'wallet', 'wallet_tokens', 'holdings', 'token_prices'] })
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
