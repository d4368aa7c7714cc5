import { expect, test } from 'vitest'

import { mayUse, tiers } from '#accounts/tiers.ts'

test('the tiers are the published ones', () => {
  expect(tiers.free).toMatchObject({ requests: 60, chats: 0, alerts: 0, watchlists: 5 })
  expect(tiers.pro).toMatchObject({ requests: 600, chats: 20, alerts: 50, watchlists: 50 })
  expect(tiers.enterprise).toMatchObject({ requests: 6_000, chats: 200, alerts: 1_000, watchlists: 1_000 })
})

test('free reads the feed, signals, markets, assets, coverage, watchlists and the account; the others all endpoints', () => {
  expect(new Set(tiers.free.endpoints.map((name) => name.split(' ')[1]))).toEqual(
    new Set(
      'feed signal-evidence signals coverage markets pm-markets asset-days market-outcomes market-hours watchlists account'
        .split(' ')
        .map((name) => `/${name}`),
    ),
  )
  expect(tiers.pro.endpoints).toEqual(expect.arrayContaining([...tiers.free.endpoints]))
  expect(new Set(tiers.pro.endpoints).size).toBe(38)
  expect(tiers.enterprise.endpoints).toEqual(tiers.pro.endpoints)
  expect([
    mayUse('free', 'GET /pm-markets'),
    mayUse('free', 'GET /pm-wallet'),
    mayUse('pro', 'GET /pm-wallet'),
  ]).toEqual([true, false, true])
})
