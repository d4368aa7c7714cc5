import { afterEach, beforeEach, expect, test } from 'vitest'

import { tiers } from '#accounts/tiers.ts'
import { startService, type Service } from '#test/api/service.ts'

let service: Service
beforeEach(async () => {
  service = await startService({
    rows: {
      coverage: [
        ['venue', 'a'],
        ['venue', 'b'],
        ['chain', 'expanse-network'],
      ],
    },
  })
})
afterEach(async () => service.stop())

const accountOf = (key: string) => service.ask('/v1/account', { headers: { authorization: `Bearer ${key}` } })

test('the account shows its tier, its limit after this request, and what is stored', async () => {
  await accountOf(service.keys.pro)
  service.clock.at += 19_000_000
  const { status, headers, json } = await accountOf(service.keys.pro)
  expect(status).toBe(200)
  expect(headers['ratelimit']).toBe('"pro";r=598;t=41')
  expect(headers['cache-control']).toBe('no-store')
  expect(json).toEqual({
    tier: 'pro',
    rate_limit: { limit: 600, remaining: 598, reset: 41 },
    endpoints: tiers.pro.endpoints,
    messaging: { platform: 'telegram', handle: null, linked: false },
    following: [],
    coverage: {
      chains: 1,
      read_chains: [
        {
          chain: 'expanse-network',
          since: '2026-01-01T00:00:00.000Z',
          unpriced: 'all tokens: no dollar of the chain is in the registry',
        },
      ],
      venues: 2,
      social_sources: 0,
      data_as_of: '2026-03-01T12:00:00.000Z',
    },
  })
})

test('what is stored is read once for a snapshot, and anew for the next', async () => {
  const reads: string[] = []
  const snapshot = service.marts.current('scores')
  if (snapshot === null) throw new Error('expected a snapshot')
  const { query } = snapshot
  snapshot.query = (sql, ...rest) => {
    reads.push(sql)
    return query(sql, ...rest)
  }
  await Promise.all([1, 2, 3].map(() => accountOf(service.keys.pro)))
  const n_reads = reads.length
  await accountOf(service.keys.free)
  expect([n_reads > 0, reads.length]).toEqual([true, n_reads])
  await service.publish('next', { coverage: [['venue', 'a']] })
  expect((await accountOf(service.keys.pro)).json['coverage']).toMatchObject({ venues: 1, chains: 0 })
})

test('each tier has its endpoints', async () => {
  for (const tier of ['free', 'enterprise'] as const)
    expect((await accountOf(service.keys[tier])).json).toMatchObject({ tier, endpoints: tiers[tier].endpoints })
})

test('the account needs no snapshot', async () => {
  const empty = await startService({ isEmpty: true })
  try {
    const { status, json } = await empty.ask('/v1/account')
    expect(status).toBe(200)
    expect(json['coverage']).toEqual({ chains: 0, read_chains: [], venues: 0, social_sources: 0, data_as_of: null })
  } finally {
    await empty.stop()
  }
})
