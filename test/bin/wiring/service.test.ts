import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { openAccounts } from '#accounts/accounts.ts'
import { createAlert } from '#accounts/alerts/alerts.ts'
import { createKey, findKey } from '#accounts/keys.ts'
import { listRequested, requestIngestion } from '#accounts/requested.ts'
import { createWatchlist } from '#accounts/watchlists/watchlists.ts'
import { createActivities } from '#activities/index.ts'
import { tradingWallets } from '#api/endpoints/trading_wallets.ts'
import { openService, requestedAccounts } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { startWorkflow } from '#engine'
import { linkChat, outboxOf } from '#test/api/alerts/linked.ts'
import { newMartsDir, publish } from '#test/api/fixture.ts'
import { tinyHttp, tinySource, tinyTools, unitOf } from '#test/ingest/tiny.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'

test('accounts that were read are no longer requested; the others wait behind accounts that were requested since', async () => {
  const lake = await newLake()
  const accounts = await openAccounts(join(lake.home, 'accounts.db'))
  onTestFinished(() => accounts.destroy())
  const name = 'polymarket_activity'
  const source = tinySource({
    name,
    plan: async ({ keys }) => keys.map((key) => ({ ...unitOf(key), source: name })),
  })
  const activities = createActivities({
    ...tinyTools(lake, source, noon),
    http: tinyHttp({ '0xa': [], '0xc': [] }).http,
    requests: requestedAccounts(accounts),
  })
  await requestIngestion(accounts, { addresses: ['0xa', '0xb', '0xc'], now: 1 })
  const handle = startWorkflow(ingestRequested, { args: [{ source: name, pause_ms: 60_000 }], activities })
  await eventually(async () => expect(await listRequested(accounts)).toHaveLength(1))
  handle.cancel()
  await expect(handle.result).rejects.toThrow('cancelled')
  expect((await listRequested(accounts)).map(({ address }) => address)).toEqual(['0xb'])
  await requestIngestion(accounts, { addresses: ['0xd'], now: 2 })
  expect((await listRequested(accounts)).map(({ address }) => address)).toEqual(['0xd', '0xb'])
})

test('a wallet of a watchlist is read, that of Polymarket with its others, and no longer requested then', async () => {
  const lake = await newLake()
  const accounts = await openAccounts(join(lake.home, 'accounts.db'))
  onTestFinished(() => accounts.destroy())
  const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
  const solana = 'So11111111111111111111111111111111111111112'
  const { account_id = '' } = (await findKey(accounts, await createKey(accounts, { tier: 'free', now: 1 }))) ?? {}
  const row = { account_id, name: 'x', type: 'wallets' as const, items: [], most: 5, now: 1 }
  await accounts.transaction().execute((db) => createWatchlist(db, { ...row, addresses: [owner, solana] }))
  const queue = requestedAccounts(accounts)
  const [proxy = '', safe = ''] = tradingWallets(owner)
  const keys = await queue.list([])
  expect(keys.toSorted()).toEqual([owner, proxy, safe, solana].toSorted())
  expect(await queue.followed()).toEqual([owner, solana])
  await queue.complete(keys, { left: [safe], empty: [] })
  expect((await listRequested(accounts)).map(({ address }) => address)).toEqual([safe])
  expect(await queue.list([])).toEqual([])
})

test('alerts are evaluated where no messenger is configured, and their messages wait for one', async () => {
  const { home, dir, remove } = await newMartsDir()
  const market = `polymarket:0x${'5f'.repeat(32)}`
  await publish(dir, 'first', { markets: [{ id: market, yes: '0.5' }] })
  const service = await openService(parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' }), true)
  onTestFinished(async () => {
    await service.close()
    await remove()
  })
  const account_id = await linkChat(service.accounts, await createKey(service.accounts, { tier: 'pro', now: 1 }), 7)
  const state = { is_armed: true, baseline: null, seen_at: 0 }
  const alert = { account_id, type: 'market', entity: market, address: null, state, most: 1, now: 1 } as const
  await service.accounts.transaction().execute((db) => createAlert(db, { ...alert, threshold: { price_above: 0.6 } }))
  await publish(dir, 'second', { markets: [{ id: market, yes: '0.9' }] }, 'pulse')
  await eventually(async () => expect(await outboxOf(service.accounts)).toEqual([expect.stringContaining('price 0.9')]))
})
