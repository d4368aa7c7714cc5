import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { openAccounts } from '#accounts/accounts.ts'
import { listWanted, want } from '#accounts/wanted.ts'
import { createActivities } from '#activities/index.ts'
import { hosts } from '#activities/hosts.ts'
import { pullWanted } from '#bin/follow.ts'
import { tinyHttp, tinySource, unitOf } from '#test/activities/tiny.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

test('accounts that were read are wanted no more; the others wait on, behind those that came meanwhile', async () => {
  const lake = await newLake()
  const accounts = await openAccounts(join(lake.home, 'accounts.db'))
  onTestFinished(() => accounts.destroy())
  const name = 'polymarket_activity'
  const source = tinySource({
    name,
    plan: async ({ keys }) => keys.map((key) => ({ ...unitOf(key), source: name })),
  })
  const activities = createActivities({
    lake,
    sources: [source],
    hosts,
    http: tinyHttp({ '0xa': [], '0xc': [] }).http,
    models: [],
    clock: () => noon,
    now: () => noon,
    keepRaw: false,
    concurrency: 1,
    keepSnapshots_ms: 0,
    threads: 1,
    memory: '256MB',
  })
  await want(accounts, { addresses: ['0xa', '0xb', '0xc'], now: 1 })
  await pullWanted({ activities, lake }, { accounts }, { to: () => noon })
  expect((await listWanted(accounts)).map(({ address }) => address)).toEqual(['0xb'])
  await want(accounts, { addresses: ['0xd'], now: 2 })
  expect((await listWanted(accounts)).map(({ address }) => address)).toEqual(['0xd', '0xb'])
})
