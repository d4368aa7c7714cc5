import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startService, type Service } from '#test/api/service.ts'

const walletOf = (i: number) => `0x${String(i).padStart(40, '1')}`
const solana = 'So11111111111111111111111111111111111111112'

let service: Service
beforeAll(async () => {
  const ranges = ['7d', '30d', '90d']
  const sorts = ['pnl', 'volume', 'win_rate']
  const lists = ['all', 'base', 'solana'].flatMap((scope) =>
    ranges.flatMap((range) => sorts.map((sort) => ({ scope, range, sort }))),
  )
  service = await startService({
    rows: {
      discovered: [
        ...lists.map((list, i) => ({ ...list, address: walletOf(i), chain: 'base', pnl: String(i) })),
        {
          address: '0xbbc264c10f54a61607a31b53358a5a87d4b045be',
          chain: 'ethereum',
          unranked_30d: '-4.5',
          tags: ['whale', 'contract'],
        },
        { scope: 'solana', address: solana, chain: 'solana', win_rate: '0.612245' },
        ...Array.from({ length: 40 }, (_, i) => ({ scope: 'polygon', address: walletOf(100 + i), chain: 'polygon' })),
      ],
    },
  })
})
afterAll(() => service.stop())

const askFor = async (query: string) => {
  const { status, items, json, headers } = await service.ask(`/v1/discover${query}`)
  return { status, items, message: json['message'], link: headers.link }
}

describe('the list', () => {
  test('is that of 30 days, of all chains, by pnl', async () => {
    const { items } = await askFor('')
    expect(items).toEqual([
      { address: walletOf(3), chain: 'base', pnl_30d: 3, unranked_30d: 0, volume_30d: 10, win_rate: 0.5, tags: [] },
      {
        address: '0xBBc264c10F54A61607A31B53358a5A87d4B045be',
        chain: 'ethereum',
        pnl_30d: 1,
        unranked_30d: -4.5,
        volume_30d: 10,
        win_rate: 0.5,
        tags: ['whale', 'contract'],
      },
    ])
    expect(await askFor('?chain=all&range=30d&sort=pnl')).toMatchObject({ items })
  })

  test('is another one for each chain, range and sort', async () => {
    const found = new Set<unknown>()
    for (const chain of ['all', 'base', 'solana'])
      for (const range of ['7d', '30d', '90d'])
        for (const sort of ['pnl', 'volume', 'win_rate']) {
          const { items } = await askFor(`?chain=${chain}&range=${range}&sort=${sort}`)
          found.add(items[0]?.['pnl_30d'])
        }
    expect(found.size).toBe(27)
  })

  test('has addresses of Solana as they are', async () => {
    const { items } = await askFor('?chain=solana')
    expect(items.at(-1)).toMatchObject({ address: solana, chain: 'solana', win_rate: 0.612245 })
  })

  test('comes in pages, each row once', async () => {
    const seen: unknown[] = []
    let next: string | undefined = '/v1/discover?chain=137&limit=7'
    while (next !== undefined) {
      const { items, headers } = await service.ask(next)
      seen.push(...items.map(({ address }) => address))
      next = /^<([^>]*)>/.exec(String(headers.link))?.[1]
    }
    expect(seen).toEqual(Array.from({ length: 40 }, (_, i) => walletOf(100 + i)))
  })

  test('is CSV with the tags as JSON', async () => {
    const { text } = await service.ask('/v1/discover?chain=all', { headers: { accept: 'text/csv' } })
    expect(text.split('\r\n')).toEqual([
      'address,chain,pnl_30d,unranked_30d,volume_30d,win_rate,tags',
      `${walletOf(3)},base,3,0,10,0.5,[]`,
      '0xBBc264c10F54A61607A31B53358a5A87d4B045be,ethereum,1,-4.5,10,0.5,"[""whale"",""contract""]"',
      '',
    ])
  })
})

describe('the chain', () => {
  test.each(['polygon', '137', 'POLYGON', 'Polygon'])('has the name %s', async (name) => {
    expect((await askFor(`?chain=${name}&limit=1`)).items).toMatchObject([{ chain: 'polygon' }])
  })

  test('without a wallet has an empty list', async () => {
    expect(await askFor('?chain=arbitrum')).toMatchObject({ status: 200, items: [] })
  })

  test('that is unknown is a 400 with the three nearest', async () => {
    const { status, message } = await askFor('?chain=etherium')
    expect(status).toBe(400)
    expect(message).toMatch(
      /^chain: invalid value "etherium"; expected all, or the slug of a chain, its chain id or its name in viem, such as ethereum, [\w-]+, [\w-]+\.$/,
    )
  })

  test.each(['', 'a'.repeat(5_000), '%00', '__proto__', "base';drop table x", 'base,polygon', '0x89', '137.0'])(
    'written as %s is a 400',
    async (name) => {
      const { status, message } = await askFor(`?chain=${encodeURIComponent(decodeURIComponent(name))}`)
      expect([status, String(message).slice(0, 6)]).toEqual([400, 'chain:'])
    },
  )
})

test.each(['range=all', 'range=24h', 'sort=clv', 'limit=0', 'limit=1001', 'cursor=x', 'tags=whale'])(
  '%s is a 400',
  async (query) => {
    expect((await askFor(`?${query}`)).status).toBe(400)
  },
)

test('a snapshot of a version without wallets is a 503, and its other lists are served', async () => {
  const older = await startService({
    rows: { without: ['discover', 'wallet', 'wallet_tokens', 'holdings', 'token_prices'] },
  })
  const { status, json, headers } = await older.ask('/v1/discover')
  expect([status, json['error'], headers['retry-after']]).toEqual([503, 'not_ready', '5'])
  expect(json['message']).toContain('tapeline score')
  expect((await older.ask('/v1/pm-traders')).status).toBe(200)
  await older.stop()
})
