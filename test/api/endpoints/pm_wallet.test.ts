import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { dropRequested, listRequested } from '#accounts/requested.ts'
import { tradingWallets } from '#api/endpoints/trading_wallets.ts'
import { fields, startService, type Service } from '#test/api/service.ts'

const shown = '0xBBc264c10F54A61607A31B53358a5A87d4B045be'
const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
const [proxy = '', safe = ''] = tradingWallets(owner)
const another = (i: number) => `0x${String(i).padStart(40, '1')}` as const

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  const noted = await wanted()
  if (noted.length > 0) await dropRequested(service.accounts, noted)
})

const profileOf = async (address: string) => {
  const { status, json, headers } = await service.ask(`/v1/pm-wallet?address=${address}`)
  return {
    status,
    profile: fields.parse(json['pm_profile'] ?? {}),
    coverage: headers['x-coverage'],
    message: json['message'],
  }
}
const wanted = async () => {
  await service.requests.flush()
  return (await listRequested(service.accounts)).map(({ address }) => address)
}

const none = { total_pnl: 0, win_rate: 0, clv_score: 0, markets_traded: 0, archetype: 'unproven' }

test('the Safe of an owner is that of the factory', () => {
  expect(safe).toBe('0xefae63145ffb73ab047e578324bca9baabe5e1ad')
})

describe('the address', () => {
  test('is read in any case and answered in EIP-55', async () => {
    for (const address of [owner, shown, owner.toUpperCase(), `0x${owner.slice(2).toUpperCase()}`]) {
      const { status, profile } = await profileOf(address)
      expect([status, profile['address']], address).toEqual([200, shown])
    }
  })

  test.each([
    ['a wrong checksum', '0xBBc264c10F54A61607A31B53358a5A87d4B045bE'],
    ['too short', owner.slice(0, -1)],
    ['too long', `${owner}0`],
    ['no 0x', owner.slice(2)],
    ['no hex', owner.replace('b', 'g')],
    ['a name', 'vitalik.eth'],
    ['base58 of 31 bytes', '1'.repeat(31)],
    ['base58 of 33 bytes', '1'.repeat(33)],
    ['base58 beyond 32 bytes', 'z'.repeat(44)],
    ['not base58', 'So1111111111111111111111111111111111111111O'],
    ['spaces', `%20${owner}`],
  ])('with %s is a 400', async (_, address) => {
    const { status, message } = await profileOf(address)
    expect(status).toBe(400)
    expect(message).toMatch(
      /^address: invalid value ".*"; expected an EVM address .* Solana address \(base58 of 32 bytes\)\.$/,
    )
  })

  test.each([
    'So11111111111111111111111111111111111111112',
    '1'.repeat(32),
    'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  ])('of Solana has zeros and nothing to wait for: %s', async (address) => {
    expect(await profileOf(address)).toMatchObject({
      status: 200,
      profile: { address, ...none },
      coverage: 'complete',
    })
    expect(await wanted()).toEqual([])
  })
})

describe('the figures', () => {
  test('are those of the address, proxy or Safe with the most markets, under the requested address', async () => {
    const rows = [
      { address: owner, markets_traded: 2, total_pnl: '1' },
      { address: proxy, markets_traded: 30, total_pnl: '-1185147.53', win_rate: '0.813559' },
      { address: safe, markets_traded: 29, total_pnl: '3' },
    ]
    for (const [i, wallets] of [rows, rows.toReversed()].entries()) {
      await service.publish(`most-${i}`, { wallets })
      expect(await profileOf(owner)).toMatchObject({
        profile: {
          address: shown,
          total_pnl: -1185147.53,
          win_rate: 0.813559,
          clv_score: 0,
          markets_traded: 30,
          archetype: 'generalist',
        },
        coverage: 'complete',
      })
    }
    expect((await profileOf(proxy)).profile['markets_traded']).toBe(30)
  })

  test('are of the address itself where the others have no more', async () => {
    await service.publish('tie', {
      wallets: [
        { address: safe, total_pnl: '3' },
        { address: owner, total_pnl: '1' },
        { address: proxy, total_pnl: '2' },
      ],
    })
    expect((await profileOf(owner)).profile['total_pnl']).toBe(1)
  })
})

describe('an owner with several wallets', () => {
  const wallet = another(7)
  const further = another(8)

  test('has one record, which each of its addresses returns under its own name', async () => {
    await service.publish('owner', {
      wallets: [{ address: wallet, markets_traded: 5, total_pnl: '12.5' }],
      addresses: [
        [further, wallet],
        [owner, wallet],
      ],
    })
    for (const address of [wallet, further, owner]) {
      const { profile, coverage } = await profileOf(address)
      expect([String(profile['address']).toLowerCase(), profile['total_pnl'], coverage]).toEqual([
        address,
        12.5,
        'complete',
      ])
    }
    expect(await wanted()).toEqual([])
  })

  test('is partial where its result is a matter of shares from others', async () => {
    const unlisted_reason = 'shares moved from or to others count at the price of the moment'
    await service.publish('moved', {
      wallets: [{ address: wallet, markets_traded: 5, unlisted_code: 'transferred', unlisted_reason }],
    })
    expect((await profileOf(wallet)).coverage).toBe(`partial; reason="${unlisted_reason}"`)
  })
})

describe('X-Coverage', () => {
  test('is complete for a trader with complete history, also if the trader is not listed', async () => {
    await service.publish('complete', {
      wallets: [{ address: owner, markets_traded: 1, unlisted_reason: 'fewer than 20 fills' }],
    })
    expect((await profileOf(owner)).coverage).toBe('complete')
  })

  test('is partial with the reason, quoted', async () => {
    await service.publish('partial', {
      wallets: [
        { markets_traded: 1, address: another(1), is_complete: false, unlisted_reason: 'sold "x\\y" – unseen' },
        { markets_traded: 1, address: another(2), is_complete: false },
      ],
    })
    expect((await profileOf(another(1))).coverage).toBe(String.raw`partial; reason="sold \"x\\y\" ? unseen"`)
    expect((await profileOf(another(2))).coverage).toBe('partial; reason="incomplete history"')
    expect(await wanted()).toEqual([])
  })

  test('is partial while closes are not trusted, unless the history has a reason of its own', async () => {
    const untrusted = { markets_traded: 1, is_trusted: false }
    await service.publish('untrusted', {
      wallets: [
        { ...untrusted, address: another(3) },
        { ...untrusted, address: another(4), is_complete: false, unlisted_reason: 'cut off' },
      ],
    })
    const { profile, coverage } = await profileOf(another(3))
    const reason = 'closes are not trusted now, and clv_score is missing for them: event_start'
    expect([profile['clv_score'], coverage]).toEqual([0, `partial; reason="${reason}"`])
    expect((await profileOf(another(4))).coverage).toBe('partial; reason="cut off"')
  })

  test('is pending, with zeros, for an unread address; the address and its wallets are requested', async () => {
    await service.publish('unknown', {})
    expect(await profileOf(shown)).toMatchObject({ profile: { address: shown, ...none }, coverage: 'pending' })
    expect((await wanted()).toSorted()).toEqual([owner, proxy, safe].toSorted())
  })

  test('is pending for an owner without a market whose wallets were never read; they are requested', async () => {
    await service.publish('owner-alone', { wallets: [{ address: owner }, { address: safe }] })
    expect(await profileOf(owner)).toMatchObject({ profile: { address: shown, ...none }, coverage: 'pending' })
    expect(await wanted()).toEqual([proxy])
    await service.publish('all-known', { wallets: [{ address: owner }, { address: safe }, { address: proxy }] })
    expect((await profileOf(owner)).coverage).toBe('complete')
  })

  test('is pending, with the stored figures, for a trader with an unread account; the trader is requested', async () => {
    await service.publish('not-pulled', {
      wallets: [
        {
          address: safe,
          markets_traded: 7,
          total_pnl: '10.5',
          is_complete: false,
          unlisted_code: 'unread',
          unlisted_reason: 'words',
        },
      ],
    })
    expect(await profileOf(owner)).toMatchObject({
      profile: { address: shown, total_pnl: 10.5, markets_traded: 7 },
      coverage: 'pending',
    })
    expect(await wanted()).toEqual([safe])
  })

  test('answers although the requests cannot be written, which are written later', async () => {
    await service.publish('unknown-too', {})
    await service.accounts.schema.alterTable('wanted').renameTo('away').execute()
    const { status, coverage } = await profileOf(another(3))
    await expect(service.requests.flush()).rejects.toThrow()
    await service.accounts.schema.alterTable('away').renameTo('wanted').execute()
    expect([status, coverage]).toEqual([200, 'pending'])
    expect(await wanted()).toContain(another(3))
  })

  test('says so if too many addresses are requested, until they are written', async () => {
    await service.publish('crowd', {})
    const crowd = Array.from({ length: 10_000 }, (_, i) => `0xcrowd${i}`)
    for (let i = 0; i < 4; i++) {
      const by = { account_id: `crowd ${i}`, areTraders: false }
      expect(await service.requests.request(crowd.slice(i * 2_500, (i + 1) * 2_500), by)).toBe('requested')
    }
    expect(await profileOf(another(4))).toMatchObject({
      status: 200,
      coverage: 'partial; reason="not read yet, and too many addresses are requested now"',
    })
    await service.requests.flush()
    await dropRequested(service.accounts, crowd.slice(0, 5_000))
    await dropRequested(service.accounts, crowd.slice(5_000))
    service.clock.at += 10_000_000
    expect((await profileOf(another(4))).coverage).toBe('pending')
    expect(await wanted()).toContain(another(4))
  })
})
