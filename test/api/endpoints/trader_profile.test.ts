import { afterAll, beforeAll, expect, test } from 'vitest'

import { marketExample } from '#api/contract/watchlist_items.ts'
import { tradingWallets } from '#api/endpoints/trading_wallets.ts'
import { startService, type Service } from '#test/api/service.ts'

const owner = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'
const [proxy = '', safe = ''] = tradingWallets(owner)
const further = `0x${'c'.repeat(40)}`

let service: Service
beforeAll(async () => {
  service = await startService({
    rows: {
      wallets: [
        { address: proxy, markets_traded: 3, total_pnl: '12.5' },
        { address: safe, markets_traded: 7, total_pnl: '-2.25' },
      ],
      addresses: [[further, safe]],
      details: { trader: safe, wallet: owner, market: marketExample, asset: 'SOL' },
    },
  })
})
afterAll(async () => service.stop())

const read = async (path: string) => (await service.ask(path)).items

test('an owner has the records of its trading wallets, the one with the most markets first', async () => {
  const rows = await read(`/v1/trader-profile?address=${owner}`)
  expect(rows.map((row) => [String(row['wallet']).toLowerCase(), row['n_markets'], row['pnl']])).toEqual([
    [safe, 7, -2.25],
    [proxy, 3, 12.5],
  ])
})

test('a further wallet of an owner has the record of its trader', async () => {
  const rows = await read(`/v1/trader-profile?address=${further}`)
  expect(rows.map((row) => String(row['wallet']).toLowerCase())).toEqual([safe])
})

test('an address without a trade has no record and no details, which is no error', async () => {
  for (const name of ['profile', 'days', 'traits', 'categories', 'positions', 'markets', 'fills'])
    expect(await read(`/v1/trader-${name}?address=0x${'9'.repeat(40)}`), name).toEqual([])
})

test('a fill leads to its transaction at the explorer of the chain', async () => {
  const [fill] = await read(`/v1/trader-fills?address=${safe}`)
  expect(fill?.['tx_url']).toBe(`https://polygonscan.com/tx/0x${'1'.padStart(64, '0')}`)
  const [hashed, unhashed] = await read(`/v1/market-fills?id=${marketExample}`)
  expect([hashed?.['wallet'], unhashed?.['wallet'], unhashed?.['tx_url']]).toEqual([
    expect.stringMatching(/^0x/),
    null,
    null,
  ])
})

test('markets of a trader are pages that join without a gap, open and closed ones apart', async () => {
  const seen: unknown[] = []
  for (
    let path: string | undefined = `/v1/trader-markets?address=${safe}&status=closed&limit=25`;
    path !== undefined;
  ) {
    const { items, headers } = await service.ask(path)
    seen.push(...items.map((row) => row['question']))
    path = /<[^>]*?(\/v1\/[^>]*)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1]
  }
  expect(seen).toEqual(Array.from({ length: 59 }, (_, n) => `Closed question ${60 - n}?`))
  expect(await read(`/v1/trader-markets?address=${safe}&status=open`)).toHaveLength(1)
})
